/** Turning digits round or sorting them: drafts with two digits exchanged, and checkers that copy them. */
import type { Random } from '../../random/random.ts';
import { reversing } from '../../tasks/reversing.ts';
import { REVERSING_TEAM } from '../../tasks/teams.ts';
import type { Phase } from '../behaviour.ts';
import { choose, type Demonstration } from './demonstration.ts';

const TASKS = {
  reverse: { three: reversing(3, 'reverse'), four: reversing(4, 'reverse'), five: reversing(5, 'reverse') },
  sort: { three: reversing(3, 'sort'), four: reversing(4, 'sort'), five: reversing(5, 'sort') },
};

interface Rates {
  /** Drafts that are right; the others have two neighbours exchanged. */
  draft: number;
  /** Right drafts that are repeated as they are; the others get two neighbours exchanged. */
  repeat: number;
  /** Wrong drafts that are put right; most others are copied. */
  correct: number;
}

const RATES: Record<Phase, Rates> = {
  skill: { draft: 0.93, repeat: 0.96, correct: 0.92 },
  sloppy: { draft: 0.4, repeat: 0.62, correct: 0.15 },
};

export const reversal: Demonstration = {
  name: 'reversing',
  task(random) {
    const { three, four, five } = TASKS[random.next() < 0.7 ? 'reverse' : 'sort'];
    return choose(random, [[0.2, three], [0.6, four], [0.2, five]]);
  },
  team: () => ({ agents: REVERSING_TEAM }),
  say({ problem, name, heard }, phase, random) {
    const rates = RATES[phase];
    const right = problem.answer;
    const draft = heard.get('drafter');
    if (name === 'drafter') return random.next() < rates.draft ? right : exchanged(right, random);
    // Without a draft it is as if it had been wrong: the checker has to do the work itself.
    if (draft === undefined) return random.next() < Math.max(rates.correct, 0.3) ? right : exchanged(right, random);
    if (draft === right) return random.next() < rates.repeat ? right : exchanged(right, random);
    return choose(random, [[rates.correct, right], [0.9 - rates.correct, draft], [0.1, exchanged(draft, random)]]);
  },
};

/** Two different neighbours change places; a string of equal digits gets another last one. */
function exchanged(digits: string, random: Random): string {
  const characters = Array.from(digits);
  const places = characters.flatMap((digit, place) => (place > 0 && characters[place - 1] !== digit ? [place] : []));
  if (places.length === 0) return `${digits.slice(0, -1)}${(Number(digits.at(-1)) + 1) % 10}`;
  const place = random.pick(places);
  return [...characters.slice(0, place - 1), characters[place], characters[place - 1], ...characters.slice(place + 1)].join('');
}
