/**
 * What can be said about arms of an experiment from a handful of seeds. Bootstrap after Efron and Tibshirani (1993), chapters 6, 13 and 15:
 * percentile intervals, which are somewhat too narrow for very few seeds. Everything is a function of its arguments: resampling is seeded.
 */
import { mean } from '../marft/arrays.ts';
import { Random } from '../random/random.ts';

/** Of each bootstrap. */
export const RESAMPLES = 10_000;
const LEVEL = 0.95;

export interface Interval {
  mean: number;
  /** Bounds of the central 95 %; NaN-free: both are the mean when there is one value. */
  low: number;
  high: number;
}

export interface PairedComparison extends Interval {
  /** Pairs, of which `mean` is the mean difference A − B. */
  pairs: number;
  /** Share of resamples in which A's mean is above B's, ties counted half: how sure it is that A is better. */
  probability: number;
}

/** Mean over the values and the 95 % percentile interval of the mean; null without values. */
export function bootstrapMean(values: readonly number[], seed: number): Interval | null {
  if (values.length === 0) return null;
  return intervalOf(values, resampledMeans(values, seed));
}

/**
 * At every iteration the mean over curves of equal length and its 95 % interval; whole curves are resampled, the same ones at every
 * iteration, so each interval is what `bootstrapMean` gives there with this seed. None without curves.
 */
export function bootstrapCurves(curves: readonly (readonly number[])[], seed: number): Interval[] {
  const random = new Random(seed, RESAMPLES, curves.length);
  const draws = Array.from({ length: RESAMPLES }, () => curves.map(() => random.int(0, curves.length - 1)));
  return Array.from(curves[0] ?? [], (_, at) => {
    const values = curves.map((curve) => curve[at] ?? Number.NaN);
    return intervalOf(values, draws.map((draw) => draw.reduce((sum, one) => sum + (values[one] ?? Number.NaN), 0) / values.length));
  });
}

/** Compares A with B where `a[k]` and `b[k]` belong together (the same seed); null without pairs. */
export function pairedBootstrap(a: readonly number[], b: readonly number[], seed: number): PairedComparison | null {
  if (a.length !== b.length) throw new RangeError(`pairedBootstrap: ${a.length} values against ${b.length}`);
  if (a.length === 0) return null;
  const differences = a.map((value, k) => value - (b[k] ?? Number.NaN));
  const means = resampledMeans(differences, seed);
  const above = means.reduce((sum, one) => sum + (one > 0 ? 1 : one === 0 ? 0.5 : 0), 0);
  return { ...intervalOf(differences, means), pairs: a.length, probability: above / means.length };
}

/** Trapezoidal area under the values at equal distances, divided by its length: the mean height of a curve. NaN for none. */
export function areaUnderCurve(values: readonly number[]): number {
  if (values.length < 2) return values[0] ?? Number.NaN;
  const ends = ((values[0] ?? 0) + (values.at(-1) ?? 0)) / 2;
  return (values.slice(1, -1).reduce((sum, value) => sum + value, 0) + ends) / (values.length - 1);
}

/** The quantile of sorted values with linear interpolation between neighbours, as NumPy's default does. */
export function quantile(sorted: readonly number[], share: number): number {
  const place = share * (sorted.length - 1);
  const low = sorted[Math.floor(place)] ?? Number.NaN;
  const high = sorted[Math.ceil(place)] ?? Number.NaN;
  return low + (high - low) * (place - Math.floor(place));
}

/** Means of samples drawn with replacement, `[RESAMPLES]`. */
function resampledMeans(values: readonly number[], seed: number): number[] {
  const random = new Random(seed, RESAMPLES, values.length);
  return Array.from({ length: RESAMPLES }, () => {
    let sum = 0;
    for (let k = 0; k < values.length; k++) sum += random.pick(values);
    return sum / values.length;
  });
}

function intervalOf(values: readonly number[], means: readonly number[]): Interval {
  const sorted = [...means].sort((x, y) => x - y);
  return { mean: mean(values), low: quantile(sorted, (1 - LEVEL) / 2), high: quantile(sorted, (1 + LEVEL) / 2) };
}
