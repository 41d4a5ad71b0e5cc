/** The verdict on a whole run, as DIR/result.json holds it. */
import { mean } from '../marft/arrays.ts';
import type { Evaluation } from '../marft/records.ts';

export interface RunResult {
  /** What was trained: an embedded model, one of the Hub with its commit, or a folder. */
  model: string;
  /** Mean training reward of the first and of the last ten iterations. */
  reward_first10: number;
  reward_last10: number;
  /** Mean reward on held-out problems, sampled at each agent's temperature, before and after training. */
  eval_base: number;
  eval_trained: number;
  /** The same with greedy decoding. */
  eval_base_greedy: number;
  eval_trained_greedy: number;
  /** Held-out problems of each of these evaluations. */
  eval_problems: number;
  /** The run's own evaluation before its first iteration, on fewer problems, as its curve begins; null when it never evaluates. */
  eval_start: number | null;
  eval_start_greedy: number | null;
  /** Reward of answering without any message. */
  chance: number;
  /** From the start of the process until the last file but this one was written. */
  seconds: number;
  /** Resident memory of the process after iterations 10 and 40, in units of 10⁶ bytes; null in shorter runs. */
  rss_mb_iter10: number | null;
  rss_mb_iter40: number | null;
}

/** Collects what a run's verdict is made of, iteration by iteration. */
export class ResultBook {
  readonly #rewards: number[] = [];
  readonly #memory = new Map<number, number>();
  #start: Evaluation | null = null;

  /** `rss` in bytes. */
  addIteration(iteration: number, reward: number, rss: number): void {
    this.#rewards.push(reward);
    if (iteration === 10 || iteration === 40) this.#memory.set(iteration, rss / 1e6);
  }

  addEvaluation(iteration: number, evaluation: Evaluation): void {
    if (iteration === 0) this.#start = evaluation;
  }

  result(base: Evaluation, trained: Evaluation, chance: number, seconds: number, model: string): RunResult {
    return {
      model,
      reward_first10: mean(this.#rewards.slice(0, 10)),
      reward_last10: mean(this.#rewards.slice(-10)),
      eval_base: base.sampled,
      eval_trained: trained.sampled,
      eval_base_greedy: base.greedy,
      eval_trained_greedy: trained.greedy,
      eval_problems: trained.problems,
      eval_start: this.#start?.sampled ?? null,
      eval_start_greedy: this.#start?.greedy ?? null,
      chance,
      seconds,
      rss_mb_iter10: this.#memory.get(10) ?? null,
      rss_mb_iter40: this.#memory.get(40) ?? null,
    };
  }
}
