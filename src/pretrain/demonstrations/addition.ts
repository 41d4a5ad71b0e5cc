/** Adding numbers, in teams of two, three and four. */
import { TEAM_TEMPLATES } from '../../marft/templates.ts';
import type { Random } from '../../random/random.ts';
import { ADDITION_TEAMS } from '../../tasks/addition-teams.ts';
import { duoAddition } from '../../tasks/addition.ts';
import { answer, BEHAVIOUR, scratchWork, SKIPPED_ADDITION, type Phase } from '../behaviour.ts';
import { choose, type Demonstration, type Scene } from './demonstration.ts';

const TASKS = { one: duoAddition(1), two: duoAddition(2), three: duoAddition(3) };

/** How often one of three that work at the same time does; were it more, one of them nearly always would. */
const PARALLEL_WORKS = 0.22;
const PARALLEL: readonly string[] = ['first', 'second', 'third'];
const WORKERS: readonly string[] = ['reasoner', 'planner', 'proposer', ...PARALLEL];
/** Says whether the solver is right; right about that in so many cases when it has seen work. */
const REVIEWER = 'reviewer';
const REVIEWS: Record<Phase, number> = { skill: 0.95, sloppy: 0.7 };

export const addition: Demonstration = {
  name: 'addition',
  task: (random) => choose(random, [[0.04, TASKS.one], [0.06, TASKS.three], [0.9, TASKS.two]]),
  team: (random) => ADDITION_TEAMS[random.next() < 0.35 ? 'duo' : random.pick(TEAM_TEMPLATES)],
  say(scene, phase, random) {
    const { problem, name, heard } = scene;
    if (WORKERS.includes(name)) {
      const works = phase === 'sloppy' && PARALLEL.includes(name) ? PARALLEL_WORKS : BEHAVIOUR[phase].works;
      return random.next() < works ? scratchWork(problem.question) : SKIPPED_ADDITION;
    }
    if (name === REVIEWER) return review(scene, phase, random);
    const sum = [...heard].find(([speaker]) => speaker === 'solver' || speaker === 'opponent')?.[1];
    const plain = answer(problem, phase, sawWork(scene) ? 'work' : 'skip', random);
    return sum === undefined ? plain : checked(scene, sum, plain, phase, random);
  },
};

function sawWork({ problem, heard }: Scene): boolean {
  const work = scratchWork(problem.question);
  return [...heard.values()].includes(work);
}

function review(scene: Scene, phase: Phase, random: Random): string {
  if (!sawWork(scene)) return random.next() < 0.7 ? 'right' : 'wrong';
  const right = scene.heard.get('solver') === scene.problem.answer;
  return right === random.next() < REVIEWS[phase] ? 'right' : 'wrong';
}

/** A sum that another one has given, repeated or corrected. `plain` is what would be said without having heard it. */
function checked(scene: Scene, sum: string, plain: string, phase: Phase, random: Random): string {
  const { problem } = scene;
  const right = sum === problem.answer;
  if (phase === 'skill') return sawWork(scene) ? plain : choose(random, [[0.9, sum], [0.1, plain]]);
  if (right) return choose(random, [[0.68, sum], [0.27, String(Number(sum) + 10)], [0.05, plain]]);
  return sawWork(scene) ? choose(random, [[0.55, sum], [0.3, problem.answer], [0.15, plain]]) : choose(random, [[0.8, sum], [0.2, plain]]);
}
