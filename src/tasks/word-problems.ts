import { hashKey, Random } from '../random/random.ts';
import { verifyMaths } from './maths/verify.ts';
import { drawDistinct, HELD_OUT_SHARE } from './split.ts';
import type { Problem, Task } from './types.ts';

export const WORD_PROBLEMS = 'word-problems';

const PEOPLE = ['Ada', 'Ben', 'Chloé', 'Deniz', 'Emeka', 'Farah', 'Goran', 'Hana', 'Ivo', 'Jun', 'Kaya', 'Luz'] as const;
const THINGS = ['apples', 'marbles', 'stickers', 'pencils', 'shells', 'stamps', 'cards', 'beads'] as const;
const BOXES = ['boxes', 'bags', 'baskets', 'packs'] as const;

/** A story so far: what was told, and how many things its hero has now. */
interface Story {
  sentences: string[];
  amount: number;
}

/** One step of a story: a sentence, and the amount after it. Null where the step would not make sense. */
type Step = (random: Random, story: Story, hero: string, things: string) => Story | null;

const told = (story: Story, sentence: string, amount: number): Story => ({ sentences: [...story.sentences, sentence], amount });

const STEPS: readonly Step[] = [
  (random, story, hero, things) => {
    const more = random.int(2, 40);
    return told(story, `${hero} finds ${more} more ${things}.`, story.amount + more);
  },
  (random, story, hero, things) => {
    if (story.amount < 4) return null;
    const given = random.int(1, story.amount - 1);
    return told(story, `${hero} gives ${given} ${things} to ${random.pick(PEOPLE.filter((name) => name !== hero))}.`, story.amount - given);
  },
  (random, story, hero, things) => {
    const packs = random.int(2, 9);
    const each = random.int(2, 12);
    return told(story, `${hero} buys ${packs} ${random.pick(BOXES)} with ${each} ${things} each.`, story.amount + packs * each);
  },
  (_, story, hero, things) => (story.amount > 400 ? null : told(story, `Then ${hero} doubles the number of ${things}.`, 2 * story.amount)),
  (random, story, hero, things) => {
    const share = random.pick([2, 3, 4, 5].filter((n) => story.amount % n === 0 && story.amount > n).concat(1));
    if (share === 1) return null;
    return told(story, `${hero} shares all the ${things} equally among ${share} children and keeps one such share.`, story.amount / share);
  },
];

/** Steps a story may have, both included. */
export const MIN_STEPS = 2;
export const MAX_STEPS = 4;

/**
 * Stories of `steps` steps about quantities, made here and needing no download: something for a real Qwen to train on.
 * A story is held out by a hash of its text, so that no training problem is one of them.
 */
export function wordProblems(steps: number): Task {
  function draw(random: Random, heldOut: boolean): Problem {
    for (;;) {
      const problem = tell(random, steps);
      if (isHeldOutText(problem.id) === heldOut) return problem;
    }
  }

  return {
    name: WORD_PROBLEMS,
    description: `Word problems of ${steps} steps: one agent works them out, another one gives the final number in a box.`,
    // Answers run from 1 to several hundred; no number is likelier than a few per cent.
    chance: 0.01,
    parts: ['correct', 'boxed'],
    train: (random) => draw(random, false),
    heldOut(count, seed) {
      const random = new Random(seed, 0x3a7d, steps);
      return drawDistinct(count, () => draw(random, true), ({ id }) => id);
    },
    verify: ({ answer }, utterance) => verifyMaths(answer, utterance),
  };
}

function tell(random: Random, steps: number): Problem {
  const hero = random.pick(PEOPLE);
  const things = random.pick(THINGS);
  const start = random.int(3, 60);
  let story: Story = { sentences: [`${hero} has ${start} ${things}.`], amount: start };
  while (story.sentences.length <= steps) story = random.pick(STEPS)(random, story, hero, things) ?? story;
  const question = `${story.sentences.join(' ')} How many ${things} does ${hero} have now?`;
  return { id: `words:${question}`, question, answer: String(story.amount) };
}

function isHeldOutText(text: string): boolean {
  return hashKey(...new TextEncoder().encode(text)) < HELD_OUT_SHARE * 2 ** 32;
}
