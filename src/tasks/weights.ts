import { PlaygroundError } from '../runtime/errors.ts';
import type { Task, Verdict } from './types.ts';

/** How much each part of a verdict counts, by the part's name; none at all: the task's own reward. */
export type PartWeights = Readonly<Record<string, number>>;

/**
 * The task with the reward Σ weight · part instead of its own, within [0, 1]. The chance level and the ceiling go with the weight of the task's first part and
 * with those of all: estimates. Throws a PlaygroundError (`task-weights`) for a part that the task does not have.
 */
export function weighted(task: Task, weights: PartWeights): Task {
  const names = Object.keys(weights);
  if (names.length === 0) return task;
  const unknown = names.find((name) => !task.parts.includes(name));
  if (unknown !== undefined) {
    throw new PlaygroundError(
      'task-weights',
      `The reward of task "${task.name}" has no part named "${unknown}".`,
      task.parts.length > 0 ? `Its parts are: ${task.parts.join(', ')}.` : 'It has no parts; remove the weights.',
    );
  }
  const weightOf = (part: string | undefined): number => (part !== undefined && Object.hasOwn(weights, part) ? (weights[part] ?? 0) : 0);
  const reweighed = ({ parts }: Verdict): Verdict => ({
    reward: bounded(Object.entries(parts).reduce((sum, [name, value]) => sum + weightOf(name) * value, 0)),
    parts,
  });
  return {
    ...task,
    chance: bounded(weightOf(task.parts[0]) * task.chance),
    ceiling: bounded(task.parts.reduce((sum, part) => sum + Math.max(0, weightOf(part)), 0) * (task.ceiling ?? 1)),
    verify(problem, answer, attempt) {
      const verdict = task.verify(problem, answer, attempt);
      return verdict instanceof Promise ? verdict.then(reweighed) : reweighed(verdict);
    },
  };
}

function bounded(reward: number): number {
  return Math.min(1, Math.max(0, reward));
}
