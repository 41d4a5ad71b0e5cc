import { Random } from '../random/random.ts';
import { drawDistinct, isHeldOut } from './split.ts';
import type { Problem, Task, Verdict } from './types.ts';

export const COMPARISON = 'comparison';

/** Numbers of a side, at least and at most: with one there would be too few pairs to hold any out. The embedded model has learnt 2. */
export const MIN_TERMS = 2;
export const MAX_TERMS = 4;

/** What can be answered, by the sign of the left side less the right one. */
export const SIDES = ['left', 'same', 'right'] as const;

/** The sums of the two sides of a question made by `comparison`; null for any other text. */
export function sidesOf(question: string): [number, number] | null {
  const match = /^([\d+]+) or ([\d+]+)\?$/.exec(question);
  return match ? [total(match[1] ?? ''), total(match[2] ?? '')] : null;
}

/**
 * Which of two sums of `terms` numbers of one digit is larger, or are they the same? The three answers are equally frequent. Two questions that
 * differ in the order of sides or numbers fall into the same split.
 */
export function comparison(terms: number): Task {
  function draw(random: Random, heldOut: boolean): Problem {
    const sign = random.int(-1, 1);
    for (;;) {
      const sides = [0, 1].map(() => Array.from({ length: terms }, () => random.int(0, 9)));
      const [left, right] = sides.map((side) => total(side.join('+')));
      if (left === undefined || right === undefined || Math.sign(left - right) !== sign) continue;
      const identity = sides.map((side) => Number([...side].sort().join(''))).sort((a, b) => a - b);
      if (isHeldOut(terms, ...identity) !== heldOut) continue;
      const question = `${sides.map((side) => side.join('+')).join(' or ')}?`;
      return { id: `compare:${question}`, question, answer: SIDES[1 - sign] ?? 'same' };
    }
  }

  return {
    name: COMPARISON,
    description: `Which of two sums of ${terms} numbers is larger: one agent adds, the other one says "left", "right" or "same".`,
    watch: 'Guessing gives a third of the reward here. What is above a third comes from the adder\'s work, and from the judge believing it.',
    chance: 1 / 3,
    parts: ['correct'],
    train: (random) => draw(random, false),
    heldOut(count, seed) {
      const random = new Random(seed, 0xc03, terms);
      return drawDistinct(count, () => draw(random, true), ({ id }) => id);
    },
    verify: oneWord,
  };
}

function total(side: string): number {
  return side.split('+').reduce((sum, term) => sum + Number(term), 0);
}

/** Reward 1 when the utterance, but for case and surrounding white space, is the one right word. */
function oneWord(problem: Problem, answer: string): Verdict {
  const correct = answer.trim().toLowerCase() === problem.answer ? 1 : 0;
  return { reward: correct, parts: { correct } };
}
