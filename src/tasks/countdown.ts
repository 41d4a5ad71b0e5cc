import { Random } from '../random/random.ts';
import { parseArithmetic } from './arithmetic.ts';
import { drawDistinct, isHeldOut } from './split.ts';
import type { Problem, Task, Verdict } from './types.ts';

export const COUNTDOWN = 'countdown';

/** Given numbers, at least and at most. The embedded model has learnt 2 and 3, without products. */
export const MIN_NUMBERS = 2;
export const MAX_NUMBERS = 4;

/** Share of problems whose solution is the plain sum: few, or always adding would pay. */
const PLAIN_SUMS = 0.15;

/** Target and given numbers of a question made by `countdown`; null for any other text. */
export function termsOf(question: string): { target: number; numbers: number[] } | null {
  const match = /^make (\d+) from ([\d ]+)$/.exec(question);
  return match ? { target: Number(match[1]), numbers: (match[2] ?? '').split(' ').map(Number) } : null;
}

/**
 * Reach a target with the given numbers, each used at most once, by adding and subtracting (and multiplying where `products`). Any right expression counts.
 * Problems with the same target and the same numbers in another order fall into the same split.
 */
export function countdown(count: number, products: boolean): Task {
  function draw(random: Random, heldOut: boolean): Problem {
    for (;;) {
      const numbers = Array.from({ length: count }, () => random.int(1, 9));
      const answer = expression(random, numbers, products);
      const target = parseArithmetic(answer)?.value ?? 0;
      if (target <= 0 || isHeldOut(target, ...[...numbers].sort()) !== heldOut) continue;
      const question = `make ${target} from ${numbers.join(' ')}`;
      return { id: `countdown:${question}`, question, answer };
    }
  }

  return {
    name: COUNTDOWN,
    description: `Reach a number with ${count} others: one agent tries sums out, the other one gives the one that fits.`,
    watch: 'The searcher learns to go on until a sum fits, the finisher to copy the last sum instead of the first.',
    // Taking away a number drawn by lot; found by playing 20,000 problems.
    chance: CHANCE[count] ?? 0,
    parts: ['correct', 'legal'],
    train: (random) => draw(random, false),
    heldOut(wanted, seed) {
      const random = new Random(seed, 0xc0d, count, Number(products));
      return drawDistinct(wanted, () => draw(random, true), ({ id }) => id);
    },
    verify: reaches,
  };
}

const CHANCE: Readonly<Record<number, number>> = { 2: 0.36, 3: 0.36, 4: 0.28 };

/** All numbers added, but for one that is taken away most times and two that are multiplied half of the times that products are allowed. */
function expression(random: Random, numbers: readonly number[], products: boolean): string {
  const terms = random.shuffled(numbers).map(String);
  const away = random.next() < PLAIN_SUMS ? '' : `-${terms.pop() ?? ''}`;
  if (products && terms.length > 1 && random.next() < 0.5) terms.push(`${terms.pop() ?? ''}*${terms.pop() ?? ''}`);
  return terms.join('+') + away;
}

/**
 * Reward 1 for an expression that amounts to the target and uses each given number at most once; `= target` behind it does no harm. `legal`: it
 * is one, and uses no others.
 */
function reaches({ question }: Problem, answer: string): Verdict {
  const terms = termsOf(question);
  const [written = '', claimed, ...rest] = answer.split('=');
  const read = parseArithmetic(written);
  const legal = terms !== null && read !== null && rest.length === 0 && isWithin(read.numbers, terms.numbers);
  const correct = legal && read.value === terms.target && (claimed === undefined || claimed.trim() === String(terms.target));
  return { reward: Number(correct), parts: { correct: Number(correct), legal: Number(legal) } };
}

function isWithin(used: readonly number[], given: readonly number[]): boolean {
  const left = [...given];
  return used.every((number) => {
    const place = left.indexOf(number);
    if (place >= 0) left.splice(place, 1);
    return place >= 0;
  });
}
