import { Random } from '../random/random.ts';
import { drawDistinct, isHeldOut } from './split.ts';
import type { Problem, Task, Verdict } from './types.ts';

export const REVERSING = 'reversing';

export const GOALS = ['reverse', 'sort'] as const;
export type Goal = (typeof GOALS)[number];

/** Digits of a string, at least and at most. The embedded model has learnt 3 to 5. */
export const MIN_LENGTH = 3;
export const MAX_LENGTH = 8;

/** The digits from the last to the first, or from the smallest to the largest. */
export function rearranged(goal: Goal, digits: string): string {
  const characters = Array.from(digits);
  return (goal === 'reverse' ? characters.reverse() : characters.sort()).join('');
}

/**
 * A string of digits is to be turned round, or sorted: one agent drafts, the other one checks the draft and answers. Strings with the same answer or
 * each other's fall into the same split.
 */
export function reversing(length: number, goal: Goal): Task {
  function draw(random: Random, heldOut: boolean): Problem {
    for (;;) {
      const digits = Array.from({ length }, () => random.int(0, 9)).join('');
      const answer = rearranged(goal, digits);
      if (answer === digits || isHeldOut(GOALS.indexOf(goal), length, Number(digits < answer || goal === 'sort' ? answer : digits)) !== heldOut) continue;
      return { id: `${goal}:${digits}`, question: `${goal} ${digits}`, answer };
    }
  }

  return {
    name: REVERSING,
    description: `${goal === 'reverse' ? 'Write' : 'Sort'} a string of ${length} digits${goal === 'reverse' ? ' backwards' : ''}: one agent drafts, the other one checks the draft and answers.`,
    watch: 'The drafter stops mixing digits up, and the checker stops copying drafts that are wrong: which of the two happens first?',
    chance: 10 ** -length,
    parts: ['correct', 'places'],
    train: (random) => draw(random, false),
    heldOut(count, seed) {
      const random = new Random(seed, 0x4e7, length, GOALS.indexOf(goal));
      return drawDistinct(count, () => draw(random, true), ({ id }) => id);
    },
    verify: inOrder,
  };
}

/** Reward 1 when the digits, but for white space, are the answer; `places` is the share of them in the right place. */
function inOrder(problem: Problem, answer: string): Verdict {
  const given = answer.replace(/\s+/g, '');
  const right = Array.from(problem.answer).filter((digit, place) => given[place] === digit).length;
  const correct = given === problem.answer ? 1 : 0;
  return { reward: correct, parts: { correct, places: right / problem.answer.length } };
}
