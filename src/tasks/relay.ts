import { Random } from '../random/random.ts';
import { COLOURS, OBJECTS } from './secret.ts';
import { drawDistinct, isHeldOut } from './split.ts';
import type { Attempt, Problem, Task, Verdict } from './types.ts';

export const RELAY = 'relay';

/** Words that a report has at most after what matters. The embedded model has learnt up to 16. */
export const MAX_NOISE = 32;

/** What reports are padded with: words that say nothing. */
export const NOISE_WORDS = ['oak', 'elm', 'fir', 'ash', 'yew', 'bay', 'fig', 'nut'] as const;

/**
 * The task on which it matters who gets the credit for what. A scout is told a digit and names it first, then goes on with `noise` words of no account; a
 * courier hears that and does the same; an answerer hears the courier alone. The grader is unreliable besides: with probability `graderNoise` it takes right for
 * wrong and wrong for right. So what decides the reward is two tokens among dozens that do not, and even these explain it only in part. Held-out
 * problems are about things that never occur in training, their digits evenly spread.
 */
export function relay(noise: number, graderNoise: number): Task {
  function draw(random: Random, heldOut: boolean, digit: number): Problem {
    for (;;) {
      const colour = random.int(0, COLOURS.length - 1);
      const object = random.int(0, OBJECTS.length - 1);
      if (isHeldOut(colour, object) !== heldOut) continue;
      const question = `${COLOURS[colour]} ${OBJECTS[object]}, ${noise} words`;
      return { id: `relay:${question}:${digit}`, question, secret: String(digit), answer: String(digit) };
    }
  }

  return {
    name: RELAY,
    description: `A digit is passed on twice, each time with ${noise} words behind it that mean nothing, to a grader who errs in ${Math.round(100 * graderNoise)} % of the cases.`,
    watch: 'Two tokens decide and all others are noise. Look at the advantages in a transcript: does the credit fall on the digit, or on every word alike?',
    chance: graderNoise + (1 - 2 * graderNoise) * 0.1,
    ceiling: 1 - graderNoise,
    parts: ['graded', 'correct'],
    train: (random) => draw(random, false, random.int(0, 9)),
    heldOut(count, seed) {
      const random = new Random(seed, 0x4e1a, noise);
      // Ten digits in turn, in an order of their own: any first n problems are as even as n allows.
      const digits = random.shuffled([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
      let drawn = 0;
      return drawDistinct(count, () => draw(random, true, digits[drawn++ % 10] ?? 0), ({ id }) => id);
    },
    verify: (problem, answer, attempt) => grade(problem, answer, attempt, graderNoise),
  };
}

/** `correct` is the truth, `graded` what the grader takes it for; the reward is the latter. */
function grade(problem: Problem, answer: string, { random }: Attempt, graderNoise: number): Verdict {
  const correct = answer.trim() === problem.answer ? 1 : 0;
  const graded = random.next() < graderNoise ? 1 - correct : correct;
  return { reward: graded, parts: { graded, correct } };
}
