/** How long the stages of an iteration take. Nothing but what is logged under `time/` and `…/tok_per_s` depends on it. */
export class Stopwatch {
  readonly #start = performance.now();
  readonly #milliseconds = new Map<string, number>();

  /** Runs the work and adds its duration to the stage's. */
  async time<T>(stage: string, work: () => T | Promise<T>): Promise<T> {
    const start = performance.now();
    const result = await work();
    this.#milliseconds.set(stage, (this.#milliseconds.get(stage) ?? 0) + performance.now() - start);
    return result;
  }

  /** Seconds spent in a stage so far. */
  seconds(stage: string): number {
    return (this.#milliseconds.get(stage) ?? 0) / 1000;
  }

  /** `time/<stage>_s` of every stage and `time/iteration_s` since the watch was made, in seconds. */
  metrics(): Record<string, number> {
    const stages = [...this.#milliseconds.keys()].map((stage) => [`time/${stage}_s`, this.seconds(stage)]);
    return { ...Object.fromEntries(stages), 'time/iteration_s': (performance.now() - this.#start) / 1000 };
  }
}
