import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { areaUnderCurve, bootstrapMean, pairedBootstrap, quantile } from '../../../src/experiment/statistics.ts';
import { Random } from '../../../src/random/random.ts';

interface Fixture {
  means: { name: string; values: number[]; low: number; high: number }[];
  pairs: { name: string; a: number[]; b: number[]; low: number; high: number; probability: number }[];
  areas: { values: number[]; area: number }[];
}

const fixture = JSON.parse(readFileSync(new URL('../../reference/fixtures/statistics.json', import.meta.url), 'utf8')) as Fixture;

/** Two bootstraps of 10,000 and of 200,000 resamples differ by chance, in proportion to the spread of the values. */
const noise = (values: readonly number[]): number => 0.02 * (Math.max(...values) - Math.min(...values));

describe('against scipy', () => {
  it.each(fixture.means)('gives the percentile interval of the mean: $name', ({ values, low, high }) => {
    const interval = bootstrapMean(values, 1);
    expect(Math.abs((interval?.low ?? NaN) - low)).toBeLessThan(noise(values));
    expect(Math.abs((interval?.high ?? NaN) - high)).toBeLessThan(noise(values));
  });

  it.each(fixture.pairs)('gives the interval of paired differences and how sure A is better: $name', ({ a, b, low, high, probability }) => {
    const compared = pairedBootstrap(a, b, 1);
    const tolerance = noise(a.map((value, k) => value - (b[k] ?? 0)));
    expect(Math.abs((compared?.low ?? NaN) - low)).toBeLessThan(tolerance);
    expect(Math.abs((compared?.high ?? NaN) - high)).toBeLessThan(tolerance);
    expect(compared?.probability).toBeCloseTo(probability, 1);
  });

  it.each(fixture.areas)('gives the trapezoidal area under a curve', ({ values, area }) => {
    expect(areaUnderCurve(values)).toBeCloseTo(area, 12);
  });
});

describe('bootstrapMean', () => {
  it('covers the true mean about as often as it says', () => {
    const random = new Random(5);
    const covered = Array.from({ length: 60 }, (_, k) => {
      const interval = bootstrapMean(Array.from({ length: 25 }, () => 3 + 2 * random.normal()), k);
      return interval !== null && interval.low <= 3 && interval.high >= 3 ? 1 : 0;
    }).reduce<number>((sum, one) => sum + one, 0);
    expect(covered / 60).toBeGreaterThan(0.84);
  });

  it('is the value itself where there is one, or where all are equal', () => {
    expect(bootstrapMean([0.5], 1)).toEqual({ mean: 0.5, low: 0.5, high: 0.5 });
    expect(bootstrapMean([0.25, 0.25, 0.25], 1)).toEqual({ mean: 0.25, low: 0.25, high: 0.25 });
    expect(bootstrapMean([], 1)).toBeNull();
  });

  it('gives the same interval for the same seed', () => {
    expect(bootstrapMean([1, 2, 5], 3)).toEqual(bootstrapMean([1, 2, 5], 3));
    const values = Array.from({ length: 12 }, (_, k) => Math.sqrt(k));
    expect(bootstrapMean(values, 3)).not.toEqual(bootstrapMean(values, 4));
  });
});

describe('pairedBootstrap', () => {
  it('is certain where every pair says so, and undecided where none does', () => {
    expect(pairedBootstrap([2, 3, 4], [1, 2, 3], 1)).toMatchObject({ mean: 1, probability: 1, pairs: 3 });
    expect(pairedBootstrap([1, 2, 3], [2, 3, 4], 1)).toMatchObject({ mean: -1, probability: 0 });
    expect(pairedBootstrap([1, 2], [1, 2], 1)).toMatchObject({ mean: 0, probability: 0.5 });
  });

  it('sees through differences between seeds that both arms share', () => {
    const shared = [0.1, 0.9, 0.4, 0.7];
    expect(pairedBootstrap(shared.map((one) => one + 0.01), shared, 1)?.probability).toBe(1);
  });

  it('refuses lists that do not belong together', () => {
    expect(() => pairedBootstrap([1], [1, 2], 1)).toThrow(RangeError);
  });
});

describe('areaUnderCurve and quantile', () => {
  it('agree with hand-computed values', () => {
    expect(areaUnderCurve([0, 1])).toBe(0.5);
    expect(areaUnderCurve([0, 1, 1])).toBe(0.75);
    expect(areaUnderCurve([0.3])).toBe(0.3);
    expect(areaUnderCurve([])).toBeNaN();
    expect(quantile([1, 2, 4], 0.5)).toBe(2);
    expect(quantile([1, 2, 4], 0.75)).toBe(3);
  });
});
