/** Comparing two sums. */
import type { Random } from '../../random/random.ts';
import { comparison, SIDES, sidesOf } from '../../tasks/comparison.ts';
import { COMPARISON_TEAM } from '../../tasks/teams.ts';
import { SKIPPED_ADDITION, type Phase } from '../behaviour.ts';
import type { Demonstration } from './demonstration.ts';

const TASKS = { one: comparison(1), two: comparison(2) };

/** The adder adds instead of skipping; the judge says what follows from the sums, and else any side. */
const RATES: Record<Phase, { works: number; right: number }> = {
  skill: { works: 0.94, right: 0.96 },
  sloppy: { works: 0.4, right: 0.5 },
};

/** What an adder that works says: both sums. Throws a RangeError for a question of another task. */
export function bothSums(question: string): string {
  const sides = sidesOf(question);
  if (!sides) throw new RangeError(`not a comparison: ${question}`);
  return sides.join(' ');
}

export const comparing: Demonstration = {
  name: 'comparison',
  task: (random) => (random.next() < 0.1 ? TASKS.one : TASKS.two),
  team: () => ({ agents: COMPARISON_TEAM }),
  say({ problem, name, heard }, phase, random) {
    const { works, right } = RATES[phase];
    if (name === 'adder') return random.next() < works ? bothSums(problem.question) : SKIPPED_ADDITION;
    const sawWork = heard.get('adder') === bothSums(problem.question);
    return sawWork && random.next() < right ? problem.answer : anySide(random);
  },
};

function anySide(random: Random): string {
  return random.pick(SIDES);
}
