import { Random } from '../random/random.ts';
import { exactAnswer } from './addition.ts';
import { drawDistinct, isHeldOut } from './split.ts';
import type { Problem, Task } from './types.ts';

export const SECRET = 'secret';

/** What a question is about. The words say nothing about the secret; they make held-out questions new to the team. */
export const COLOURS = ['red', 'blue', 'green', 'pink', 'gold', 'grey', 'black', 'white', 'brown', 'teal', 'lime', 'plum'] as const;
export const OBJECTS = ['box', 'bag', 'jar', 'cup', 'tin', 'pot', 'hat', 'car', 'bed', 'bin', 'key', 'egg'] as const;

/**
 * Only the first agent is told a secret digit, and the second one must answer with it: what it knows, it knows from the
 * first one's message. Held-out problems ask about colour–object pairs that never occur in training, and their secrets
 * are spread evenly over the ten digits: a constant answer scores 10 %.
 */
export function secretDigit(): Task {
  function draw(random: Random, heldOut: boolean, secret: number): Problem {
    for (;;) {
      const colour = random.int(0, COLOURS.length - 1);
      const object = random.int(0, OBJECTS.length - 1);
      if (isHeldOut(colour, object) !== heldOut) continue;
      const thing = `${COLOURS[colour]} ${OBJECTS[object]}`;
      return {
        id: `secret:${thing}:${secret}`,
        question: `what is in the ${thing}?`,
        secret: String(secret),
        answer: String(secret),
      };
    }
  }

  return {
    name: SECRET,
    description: 'One agent is told a secret digit; the other one must answer with it, from what the first one says.',
    chance: 0.1,
    parts: ['correct'],
    train: (random) => draw(random, false, random.int(0, 9)),
    heldOut(count, seed) {
      const random = new Random(seed, 0x5ec);
      // One stratum per digit, interleaved in a random order: any first n problems are as even as n allows.
      const strata = random.shuffled([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]).map((digit, rank) => {
        const size = Math.floor(count / 10) + (rank < count % 10 ? 1 : 0);
        return drawDistinct(size, () => draw(random, true, digit), (problem) => problem.id);
      });
      return Array.from({ length: count }, (_, i) => strata[i % 10]?.[Math.floor(i / 10)]).filter((p) => p !== undefined);
    },
    verify: exactAnswer,
  };
}
