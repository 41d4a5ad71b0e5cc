/** What a task that judges at once says of an answer given in one turn. */
import { Random } from '../../../src/random/random.ts';
import type { Problem, Task, Verdict } from '../../../src/tasks/types.ts';

/** Throws a TypeError for a task that takes its time. */
export function verdictOf(task: Task, problem: Problem, answer: string, seed = 0): Verdict {
  const verdict = task.verify(problem, answer, { answers: [answer], random: new Random(seed) });
  if (verdict instanceof Promise) throw new TypeError(`${task.name} judges in its own time`);
  return verdict;
}
