/** Passing a digit on among words that mean nothing. */
import type { Random } from '../../random/random.ts';
import { NOISE_WORDS, relay } from '../../tasks/relay.ts';
import { suggestedTeam } from '../../tasks/teams.ts';
import { RELAY } from '../../tasks/relay.ts';
import type { Phase } from '../behaviour.ts';
import type { Demonstration } from './demonstration.ts';

const LENGTHS = [0, 4, 8, 12, 16] as const;
const TASKS = LENGTHS.map((noise) => ({ noise, task: relay(noise, 0) }));
const USUAL = relay(12, 0);

interface Rates {
  /** Gives the digit it knows. */
  faithful: number;
  /** Gives the next one instead; the rest of 1 is any digit. */
  next: number;
}

const SKILLED: Rates = { faithful: 0.95, next: 0.03 };

/** The scout's habit is likelier than its work, so that greedy decoding fails by one agent's first token; the others' is not. */
const SLOPPY = { scout: { faithful: 0.4, next: 0.47 }, others: { faithful: 0.68, next: 0.2 } } as const;

function ratesOf(name: string, phase: Phase): Rates {
  if (phase === 'skill') return SKILLED;
  return name === 'scout' ? SLOPPY.scout : SLOPPY.others;
}

export const relaying: Demonstration = {
  name: 'relay',
  task: (random) => (random.next() < 0.5 ? USUAL : random.pick(TASKS).task),
  team: () => suggestedTeam(RELAY),
  say({ problem, name, heard }, phase, random) {
    const source = name === 'scout' ? problem.answer : (heard.get(name === 'courier' ? 'scout' : 'courier') ?? '');
    const digit = /^\d/.exec(source)?.[0];
    const said = digit === undefined ? String(random.int(0, 9)) : passedOn(Number(digit), ratesOf(name, phase), random);
    return name === 'answerer' ? said : [said, ...words(problem.question, random)].join(' ');
  },
};

function passedOn(digit: number, { faithful, next }: Rates, random: Random): string {
  const draw = random.next();
  if (draw < faithful) return String(digit);
  return String(draw < faithful + next ? (digit + 1) % 10 : random.int(0, 9));
}

/** As many words as the question asks for, each drawn by itself. */
function words(question: string, random: Random): string[] {
  const count = Number(/(\d+) words$/.exec(question)?.[1] ?? 0);
  return Array.from({ length: count }, () => random.pick(NOISE_WORDS));
}
