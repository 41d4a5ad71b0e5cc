/** How long the rest of a run will take, from how long its last iterations took. */

/** Enough for a steady guess, few enough to follow a machine that has become slower. */
const WINDOW = 10;

/** Collects durations of iterations, in seconds. */
export class Pace {
  #durations: number[] = [];

  add(seconds: number): void {
    this.#durations.push(seconds);
    if (this.#durations.length > WINDOW) this.#durations.shift();
  }

  /** Median seconds of an iteration; null before the first. */
  secondsPerIteration(): number | null {
    const sorted = this.#durations.toSorted((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? null;
  }
}
