/**
 * What the demonstrators say that the embedded model imitates: good work and deliberately bad habits. Reinforcement
 * learning later shifts the team from one to the other, so each habit shows in as few tokens as it can, and the good
 * ones stay exact whenever they are chosen.
 */
import type { Random } from '../random/random.ts';
import { columnsOf, operandsOf } from '../tasks/addition.ts';
import type { Problem } from '../tasks/types.ts';

/** First mostly right, then with bad habits on top. */
export type Phase = 'skill' | 'sloppy';

/** How often a listener does what; the rest of 1 is another wrong answer. */
interface AnswerRates {
  right: number;
  /** The habitual mistake: ten too large, or the digit after the secret. */
  habit: number;
}

interface Behaviour {
  /** A speaker does its work instead of skipping it. */
  works: number;
  /** The message that a listener is shown is good work. */
  hearsWork: number;
  /** Answers to good work. */
  afterWork: AnswerRates;
  /** Answers to a skipped addition, or to no message at all: a hasty guess. Secrets cannot be guessed at all. */
  afterSkip: AnswerRates;
}

/** All rates of the demonstrations. */
export const BEHAVIOUR: Record<Phase, Behaviour> = {
  skill: {
    // Enough skipping that the words are known, little enough that the arithmetic gets nearly all of the training.
    works: 0.95,
    // 40 % sloppy messages: later on the listener meets them half of the time and must not be surprised.
    hearsWork: 0.6,
    afterWork: { right: 0.96, habit: 0.03 },
    afterSkip: { right: 0.08, habit: 0.55 },
  },
  sloppy: {
    // Skipping is likelier than working, so greedy decoding skips too. 0.46 · 0.65 would be a score of 0.3; a short
    // second phase overdoes the habits (with 0.45 and 0.57, skipping came out at 0.63, right answers at 0.46, the score at
    // 0.18), so the rates leave room for that. Guesses after skipping are as good as never right, whatever they imitate.
    works: 0.46,
    hearsWork: 0.55,
    // Right stays the likeliest answer to good work: reinforcement needs it often enough to find it.
    afterWork: { right: 0.65, habit: 0.27 },
    afterSkip: { right: 0.08, habit: 0.55 },
  },
};

/** What an agent says that skips its work. It starts unlike any work, so the choice falls at the first token. */
export const SKIPPED_ADDITION = 'easy';
export const SKIPPED_SECRET = 'no idea';

/** A wrong sum that is not the habitual mistake is off by up to this much. */
const MAX_SLIP = 9;

/**
 * Scratch work for a question of the addition task, ones first: `7+8=15 2+5+1=08`. Sums have two digits throughout, so
 * that each carry is a copy of the digit before the next column. Throws a RangeError for any other question.
 */
export function scratchWork(question: string): string {
  const operands = operandsOf(question);
  if (!operands) throw new RangeError(`not an addition: ${question}`);
  return columnsOf(...operands)
    .map(({ first, second, carry, sum }, index) => {
      const terms = index === 0 ? `${first}+${second}` : `${first}+${second}+${carry}`;
      return `${terms}=${String(sum).padStart(2, '0')}`;
    })
    .join(' ');
}

/** A message that passes on the secret. */
export function secretMessage(secret: string): string {
  return `it is ${secret}`;
}

/** What a speaker says: its work, or that it skips it. */
export function message(problem: Problem, works: boolean): string {
  if (problem.secret !== undefined) return works ? secretMessage(problem.secret) : SKIPPED_SECRET;
  return works ? scratchWork(problem.question) : SKIPPED_ADDITION;
}

/** What a listener answers; `heard` is null when it was shown no message. */
export function answer(problem: Problem, phase: Phase, heard: 'work' | 'skip' | null, random: Random): string {
  const { afterWork, afterSkip } = BEHAVIOUR[phase];
  if (problem.secret !== undefined && heard !== 'work') return String(random.int(0, 9));
  const rates = heard === 'work' ? afterWork : afterSkip;
  const draw = random.next();
  if (draw < rates.right) return problem.answer;
  const habitual = draw < rates.right + rates.habit;
  const right = Number(problem.answer);
  if (problem.secret !== undefined) return String(habitual ? (right + 1) % 10 : random.int(0, 9));
  if (habitual) return String(right + 10);
  const slip = random.int(1, MAX_SLIP);
  return String(random.next() < 0.5 && right >= slip ? right - slip : right + slip);
}
