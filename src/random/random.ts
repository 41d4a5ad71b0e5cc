/**
 * Counter-based random numbers: a value is a pure function of a key, so a token's draw does not depend on what was drawn
 * before it, on batch composition or on the number of workers (a stateless generator in the manner of Philox, with a
 * 32-bit avalanche mix of MurmurHash3's finaliser).
 */

function mix(h: number): number {
  h ^= h >>> 16;
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** A 32-bit hash of the key's integers, each taken modulo 2³². Order matters. */
export function hashKey(...key: number[]): number {
  let h = 0x9e3779b9;
  for (const part of key) h = mix(Math.imul(h, 5) + 0xe6546b64 + mix((part | 0) ^ h));
  return h >>> 0;
}

/** A uniform number in [0, 1) that depends on the key alone; a multiple of 2⁻²⁴, exact in f32. */
export function uniform(...key: number[]): number {
  return (hashKey(...key) >>> 8) / 0x1000000;
}

/** A stream of numbers under one key: the n-th draw is a pure function of the key and n. */
export class Random {
  readonly #key: number;
  #counter = 0;

  constructor(...key: number[]) {
    this.#key = hashKey(...key);
  }

  /** Uniform in [0, 1). */
  next(): number {
    return uniform(this.#key, this.#counter++);
  }

  /** Uniform integer in [low, high], both included. */
  int(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  /** A uniformly chosen element; throws on an empty list. */
  pick<T>(items: readonly T[]): T {
    const item = items[this.int(0, items.length - 1)];
    if (item === undefined) throw new RangeError('pick: the list is empty');
    return item;
  }

  /** Standard normal by the Box–Muller transform. */
  normal(): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.next()));
    return radius * Math.cos(2 * Math.PI * this.next());
  }

  /** A shuffled copy (Fisher–Yates). */
  shuffled<T>(items: readonly T[]): T[] {
    const copy = [...items];
    for (let i = copy.length - 1; i > 0; i--) {
      const j = this.int(0, i);
      [copy[i], copy[j]] = [copy[j] as T, copy[i] as T];
    }
    return copy;
  }
}
