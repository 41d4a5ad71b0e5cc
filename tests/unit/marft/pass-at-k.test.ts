import { describe, expect, it } from 'vitest';
import { meanPassAtK, passAtK } from '../../../src/marft/pass-at-k.ts';

/** By counting: the share of all subsets of k attempts that hold a success, where the first c of n succeeded. */
function counted(n: number, c: number, k: number): number {
  let all = 0;
  let some = 0;
  for (let subset = 0; subset < 1 << n; subset++) {
    const size = [...subset.toString(2)].filter((bit) => bit === '1').length;
    if (size !== k) continue;
    all += 1;
    if ((subset & ((1 << c) - 1)) !== 0) some += 1;
  }
  return some / all;
}

describe('passAtK', () => {
  it('is the share of all choices of k attempts that hold a success', () => {
    for (let n = 1; n <= 8; n++) for (let c = 0; c <= n; c++) for (let k = 1; k <= n; k++) expect(passAtK(n, c, k)).toBeCloseTo(counted(n, c, k), 12);
  });

  it('is the share of successes for k = 1, and does not overflow', () => {
    expect(passAtK(200, 50, 1)).toBeCloseTo(0.25, 12);
    expect(passAtK(100_000, 1, 50_000)).toBeCloseTo(0.5, 9);
  });

  it('refuses what cannot be', () => {
    for (const [n, c, k] of [[3, 4, 1], [3, 1, 4], [3, 1, 0], [3, -1, 1]] as const) expect(() => passAtK(n, c, k)).toThrow(RangeError);
  });

  it('is averaged over problems', () => {
    expect(meanPassAtK([0, 2, 1], 2, 2)).toBeCloseTo(2 / 3, 12);
  });
});
