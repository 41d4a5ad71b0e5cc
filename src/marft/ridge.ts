/** Ridge regression in closed form with forgetting: the linear critic's mathematics (Hoerl and Kennard 1970). */

/** Smallest pivot of the factorisation; below it the penalty is too small for the data. */
const MIN_PIVOT = 1e-12;

/** Numbers in the lower triangle of a matrix, the diagonal included. */
export function triangleSize(width: number): number {
  return (width * (width + 1)) / 2;
}

/** What the equations of so many features take, and their factor while they are solved, in bytes. */
export function equationBytes(width: number): number {
  return 2 * Float64Array.BYTES_PER_ELEMENT * width * width;
}

/**
 * Minimises Σ memory^age · (w·x − y)² + penalty · |w|² over all rows observed. Only the normal equations are kept, `[width, width]`, so
 * memory does not grow with the run.
 */
export class RidgeRegression {
  readonly #gram: Float64Array;
  readonly #moment: Float64Array;
  #weights: Float64Array | null = null;

  constructor(
    readonly width: number,
    private readonly settings: { penalty: number; memory: number },
  ) {
    this.#gram = new Float64Array(width * width);
    this.#moment = new Float64Array(width);
  }

  /** Adds rows `[n, width]` with their targets `[n]`; what was seen before counts `memory` times as much from now on. */
  observe(rows: Float64Array, targets: Float32Array): void {
    const { width } = this;
    if (rows.length !== targets.length * width) throw new RangeError(`${rows.length} numbers are not ${targets.length} rows of ${width}`);
    for (let i = 0; i < this.#gram.length; i++) this.#gram[i] = (this.#gram[i] ?? 0) * this.settings.memory;
    for (let i = 0; i < width; i++) this.#moment[i] = (this.#moment[i] ?? 0) * this.settings.memory;
    targets.forEach((target, n) => this.#add(rows.subarray(n * width, (n + 1) * width), target));
    this.#weights = null;
  }

  /** Predictions `[n]` for rows `[n, width]`; zeros before anything was observed. */
  predict(rows: Float64Array): Float32Array {
    const { width } = this;
    const weights = (this.#weights ??= this.#solve());
    const predictions = new Float32Array(rows.length / width);
    for (let n = 0; n < predictions.length; n++) {
      let sum = 0;
      for (let i = 0; i < width; i++) sum += (rows[n * width + i] ?? 0) * (weights[i] ?? 0);
      predictions[n] = sum;
    }
    return predictions;
  }

  /** What was observed: the Gram matrix's lower triangle row by row, `[width · (width + 1) / 2]`, and the moment vector `[width]`. */
  equations(): { triangle: Float64Array; moment: Float64Array } {
    const triangle = new Float64Array(triangleSize(this.width));
    for (let i = 0, start = 0; i < this.width; start += ++i) triangle.set(this.#gram.subarray(i * this.width, i * this.width + i + 1), start);
    return { triangle, moment: this.#moment.slice() };
  }

  /** Puts back what `equations` returned. */
  restore({ triangle, moment }: ReturnType<RidgeRegression['equations']>): void {
    for (let i = 0, start = 0; i < this.width; start += ++i) this.#gram.set(triangle.subarray(start, start + i + 1), i * this.width);
    this.#moment.set(moment);
    this.#weights = null;
  }

  /** Lower triangle of the Gram matrix, and the moment vector. */
  #add(row: Float64Array, target: number): void {
    const { width } = this;
    for (let i = 0; i < width; i++) {
      const value = row[i] ?? 0;
      if (value === 0) continue;
      const start = i * width;
      for (let j = 0; j <= i; j++) this.#gram[start + j] = (this.#gram[start + j] ?? 0) + value * (row[j] ?? 0);
      this.#moment[i] = (this.#moment[i] ?? 0) + value * target;
    }
  }

  /** Cholesky: L·Lᵀ = gram + penalty·I, then two triangular solves. */
  #solve(): Float64Array {
    const { width } = this;
    const factor = this.#gram.slice();
    for (let i = 0; i < width; i++) {
      for (let j = 0; j <= i; j++) {
        let sum = (factor[i * width + j] ?? 0) + (i === j ? this.settings.penalty : 0);
        for (let k = 0; k < j; k++) sum -= (factor[i * width + k] ?? 0) * (factor[j * width + k] ?? 0);
        factor[i * width + j] = i === j ? Math.sqrt(Math.max(MIN_PIVOT, sum)) : sum / (factor[j * width + j] ?? 1);
      }
    }
    const weights = this.#moment.slice();
    for (let i = 0; i < width; i++) {
      let sum = weights[i] ?? 0;
      for (let k = 0; k < i; k++) sum -= (factor[i * width + k] ?? 0) * (weights[k] ?? 0);
      weights[i] = sum / (factor[i * width + i] ?? 1);
    }
    for (let i = width - 1; i >= 0; i--) {
      let sum = weights[i] ?? 0;
      for (let k = i + 1; k < width; k++) sum -= (factor[k * width + i] ?? 0) * (weights[k] ?? 0);
      weights[i] = sum / (factor[i * width + i] ?? 1);
    }
    return weights;
  }
}
