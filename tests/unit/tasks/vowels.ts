/** How many of six letters are vowels: one agent marks them, another one counts. */
import { Random } from '../../../src/random/random.ts';
import { drawDistinct, isHeldOut } from '../../../src/tasks/split.ts';
import type { Problem, Task } from '../../../src/tasks/types.ts';

export const VOWELS = 'vowels';

const LENGTH = 6;
/** The first half are vowels. */
const LETTERS = 'aeioubcdfg';

export function vowels(): Task {
  function draw(random: Random, heldOut: boolean): Problem {
    for (;;) {
      const picks = Array.from({ length: LENGTH }, () => random.int(0, LETTERS.length - 1));
      if (isHeldOut(...picks) !== heldOut) continue;
      const letters = picks.map((pick) => LETTERS[pick]).join('');
      return { id: `${VOWELS}:${letters}`, question: `vowels in ${letters}?`, answer: String(picks.filter((pick) => pick < 5).length) };
    }
  }

  return {
    name: VOWELS,
    description: 'How many of six letters are vowels: one agent marks them, another one counts.',
    // Three is the most frequent count: 20 of 64.
    chance: 20 / 64,
    parts: ['correct'],
    train: (random) => draw(random, false),
    heldOut(count, seed) {
      const random = new Random(seed, 0x70e1);
      return drawDistinct(count, () => draw(random, true), ({ id }) => id);
    },
    verify({ answer }, text) {
      const correct = text.trim() === answer ? 1 : 0;
      return { reward: correct, parts: { correct } };
    },
  };
}
