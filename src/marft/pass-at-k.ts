/** pass@k: how likely one of k attempts at a problem succeeds (Chen et al. 2021, arXiv 2107.03374, equation 1). */
import { mean } from './arrays.ts';

/**
 * The unbiased estimate from n attempts of which c succeeded: 1 − C(n−c, k) / C(n, k), as a product so that nothing overflows. Throws a
 * RangeError unless 0 ≤ c ≤ n and 1 ≤ k ≤ n.
 */
export function passAtK(n: number, c: number, k: number): number {
  if (!(c >= 0 && c <= n && k >= 1 && k <= n)) throw new RangeError(`passAtK: ${c} of ${n} successes, k = ${k}`);
  if (n - c < k) return 1;
  let allFail = 1;
  for (let i = n - c + 1; i <= n; i++) allFail *= 1 - k / i;
  return 1 - allFail;
}

/** The mean over problems; `successes[p]` of `n` attempts at problem p succeeded. */
export function meanPassAtK(successes: readonly number[], n: number, k: number): number {
  return mean(successes.map((c) => passAtK(n, c, k)));
}
