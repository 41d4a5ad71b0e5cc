/** Reaching a number: sums are tried in a fixed order until one fits. */
import type { Random } from '../../random/random.ts';
import { parseArithmetic } from '../../tasks/arithmetic.ts';
import { countdown, termsOf } from '../../tasks/countdown.ts';
import { COUNTDOWN_TEAM } from '../../tasks/teams.ts';
import { SKIPPED_ADDITION, type Phase } from '../behaviour.ts';
import { choose, type Demonstration } from './demonstration.ts';

const TASKS = { two: countdown(2, false), three: countdown(3, false) };

interface Rates {
  works: number;
  /** Answers to good work: the last sum, which fits, or the first one. */
  last: number;
  first: number;
}

const RATES: Record<Phase, Rates> = {
  skill: { works: 0.95, last: 0.96, first: 0.03 },
  sloppy: { works: 0.42, last: 0.58, first: 0.34 },
};

/** All numbers added, then one of them taken away, from the last to the first. */
function candidates(numbers: readonly number[]): string[] {
  const others = numbers.map((_, away) => [...numbers.filter((_, place) => place !== away).map(String), String(numbers[away])]);
  return [numbers.join('+'), ...others.reverse().map((terms) => `${terms.slice(0, -1).join('+')}-${terms.at(-1) ?? ''}`)];
}

/** What a searcher that works says: `3+5+8=16 3+5-8=0 3+8-5=6`. Throws a RangeError for a question of another task. */
export function search(question: string): string {
  const terms = termsOf(question);
  if (!terms) throw new RangeError(`not a countdown: ${question}`);
  const tried: string[] = [];
  for (const expression of candidates(terms.numbers)) {
    const value = parseArithmetic(expression)?.value;
    tried.push(`${expression}=${value}`);
    if (value === terms.target) break;
  }
  return tried.join(' ');
}

export const reaching: Demonstration = {
  name: 'countdown',
  task: (random) => (random.next() < 0.15 ? TASKS.two : TASKS.three),
  team: () => ({ agents: COUNTDOWN_TEAM }),
  say({ problem, name, heard }, phase, random) {
    const { works, last, first } = RATES[phase];
    const work = search(problem.question);
    if (name === 'searcher') return random.next() < works ? work : SKIPPED_ADDITION;
    const all = candidates(termsOf(problem.question)?.numbers ?? []);
    const [plain = ''] = all;
    if (heard.get('searcher') !== work) return guess(random, all, plain);
    const tried = work.split(' ').map((one) => one.split('=')[0] ?? '');
    return choose(random, [[last, tried.at(-1) ?? ''], [first, plain], [1 - last - first, random.pick(all)]]);
  },
};

/** Mostly the plain sum, which seldom fits. */
function guess(random: Random, all: readonly string[], plain: string): string {
  return random.next() < 0.6 ? plain : random.pick(all);
}
