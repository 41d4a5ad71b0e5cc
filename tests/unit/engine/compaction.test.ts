/** When a batch becomes smaller. */
import { describe, expect, it } from 'vitest';
import { compactAt, compactRows, stepsWorth } from '../../../src/engine/compaction.ts';

const TINY = 336_480;
const HALF_MILLIARD = 494_000_000;

describe('the size that a batch shrinks to', () => {
  it('is a power of two, at most half of what it was, and never one row', () => {
    expect([1, 2, 3, 4, 5, 7, 8, 24, 32, 33, 63, 64].map(compactAt)).toEqual([0, 0, 0, 2, 2, 2, 4, 8, 16, 16, 16, 32]);
    expect([1, 2, 3, 4, 5, 8, 9].map(compactRows)).toEqual([2, 2, 4, 4, 8, 8, 16]);
    for (let rows = 1; rows <= 70; rows++) {
      for (let live = 1; live <= compactAt(rows); live++) expect(compactRows(live)).toBeLessThanOrEqual(rows / 2);
    }
  });
});

describe('the steps for which shrinking is worth it', () => {
  it('are many for a small model and few rows, and few for a large model or many rows', () => {
    expect(stepsWorth(32, TINY)).toBe(19);
    expect(stepsWorth(4, TINY)).toBe(149);
    expect(stepsWorth(256, TINY)).toBe(3);
    expect(stepsWorth(32, HALF_MILLIARD)).toBe(1);
    expect(stepsWorth(4, HALF_MILLIARD)).toBe(8);
  });

  it('are infinitely many for what computes nothing', () => {
    expect(stepsWorth(32, 0)).toBe(Infinity);
  });
});
