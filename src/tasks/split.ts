import { hashKey } from '../random/random.ts';

/** Share of a task's distinct problems that is never trained on. */
export const HELD_OUT_SHARE = 0.2;

/** Keeps the split apart from every seeded stream. */
const SPLIT_KEY = 0x5b117;

/** Whether the problem with this integer identity is held out; a pure function, the same for every seed. */
export function isHeldOut(...identity: number[]): boolean {
  return hashKey(SPLIT_KEY, ...identity) < HELD_OUT_SHARE * 2 ** 32;
}

/** So many repeats in a row mean that (nearly) every problem has been drawn: the odds of missing one are negligible. */
const REPEATS_MEAN_EXHAUSTED = 1000;

/**
 * `count` items of `draw` without repetition by `idOf`. When there are fewer than that, every item comes once before
 * any comes again.
 */
export function drawDistinct<T>(count: number, draw: () => T, idOf: (item: T) => string): T[] {
  const items: T[] = [];
  const seen = new Set<string>();
  let repeats = 0;
  while (items.length < count) {
    const item = draw();
    const id = idOf(item);
    if (seen.has(id)) {
      if (++repeats < REPEATS_MEAN_EXHAUSTED) continue;
      seen.clear();
    }
    repeats = 0;
    seen.add(id);
    items.push(item);
  }
  return items;
}
