/** Small helpers over lists of numbers that the algorithm's files share. Sums are accumulated in double precision. */

/** The element at `index`; throws a RangeError where there is none, so that a wrong index cannot pass as undefined. */
export function at<T>(list: { readonly [index: number]: T; readonly length: number }, index: number): T {
  const value = list[index];
  if (value === undefined) throw new RangeError(`no element ${index} in a list of ${list.length}`);
  return value;
}

/** One array after the other, `[Σ lengths]`. */
export function concat(parts: readonly Float32Array[]): Float32Array {
  const joined = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let start = 0;
  for (const part of parts) {
    joined.set(part, start);
    start += part.length;
  }
  return joined;
}

/** The inverse of `concat`: pieces of `flat` as long as those of `like`; throws a RangeError when the sums differ. */
export function splitLike(flat: Float32Array, like: readonly { readonly length: number }[]): Float32Array[] {
  const pieces: Float32Array[] = [];
  let start = 0;
  for (const { length } of like) pieces.push(flat.slice(start, (start += length)));
  if (start !== flat.length) throw new RangeError(`${flat.length} numbers cannot be split into ${start}`);
  return pieces;
}

/** Arithmetic mean; NaN of nothing. */
export function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let k = 0; k < values.length; k++) sum += at(values, k);
  return sum / values.length;
}

/** Population variance; NaN of nothing. */
export function variance(values: ArrayLike<number>): number {
  const centre = mean(values);
  let sum = 0;
  for (let k = 0; k < values.length; k++) sum += (at(values, k) - centre) ** 2;
  return sum / values.length;
}
