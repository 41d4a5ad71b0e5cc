import { Random } from '../random/random.ts';
import { drawDistinct, isHeldOut } from './split.ts';
import type { Problem, Task, Verdict } from './types.ts';

export const DUO_ADDITION = 'duo-addition';

/** One column of a written addition, from the ones upwards: `first + second + carry = sum`. */
export interface Column {
  first: number;
  second: number;
  /** Carried in from the column to the right. */
  carry: number;
  sum: number;
}

/** The columns of first + second, ones first, as many as the longer number has digits. */
export function columnsOf(first: number, second: number): Column[] {
  const columns: Column[] = [];
  let carry = 0;
  for (let a = first, b = second; columns.length === 0 || a > 0 || b > 0; a = Math.floor(a / 10), b = Math.floor(b / 10)) {
    const sum = (a % 10) + (b % 10) + carry;
    columns.push({ first: a % 10, second: b % 10, carry, sum });
    carry = sum >= 10 ? 1 : 0;
  }
  return columns;
}

/** The two numbers of a question made by `duoAddition`; null for any other text. */
export function operandsOf(question: string): [number, number] | null {
  const match = /^(\d+)\+(\d+)=\?$/.exec(question);
  return match ? [Number(match[1]), Number(match[2])] : null;
}

/**
 * Two numbers of `digits` digits each (1 to 3) are to be added. `27+58=?` and `58+27=?` always fall into the same split,
 * so that nothing held out can be answered from its mirror image.
 */
export function duoAddition(digits: number): Task {
  const low = digits === 1 ? 0 : 10 ** (digits - 1);
  const high = 10 ** digits - 1;

  function draw(random: Random, heldOut: boolean): Problem {
    for (;;) {
      const first = random.int(low, high);
      const second = random.int(low, high);
      if (isHeldOut(Math.min(first, second), Math.max(first, second)) !== heldOut) continue;
      const sum = `${first}+${second}`;
      return { id: `add:${sum}`, question: `${sum}=?`, answer: String(first + second) };
    }
  }

  return {
    name: DUO_ADDITION,
    description: `Add two numbers of ${digits === 1 ? 'one digit' : `${digits} digits`}: one agent does the scratch work, another one answers.`,
    // A blind guess among the possible sums.
    chance: 1 / (2 * (high - low) + 1),
    parts: ['correct'],
    train: (random) => draw(random, false),
    heldOut(count, seed) {
      const random = new Random(seed, digits);
      return drawDistinct(count, () => draw(random, true), (problem) => problem.id);
    },
    verify: exactAnswer,
  };
}

/** Reward 1 when the utterance, but for surrounding white space, is the answer and nothing else. */
export function exactAnswer(problem: Problem, answer: string): Verdict {
  const correct = answer.trim() === problem.answer ? 1 : 0;
  return { reward: correct, parts: { correct } };
}
