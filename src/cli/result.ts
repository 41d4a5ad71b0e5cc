/** The verdict on a whole run, as DIR/result.json holds it. */
import { z } from 'zod';
import { mean } from '../marft/arrays.ts';
import type { Evaluation } from '../marft/records.ts';

z.config({ jitless: true });

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
  /** From the start of the process until the last file but this one was written, and what earlier processes of the run took. */
  seconds: number;
  /** Resident memory of the process after iterations 10 and 40, in units of 10⁶ bytes; null in shorter runs. */
  rss_mb_iter10: number | null;
  rss_mb_iter40: number | null;
}

/** How many iterations at a run's beginning and at its end stand for it. */
const FEW = 10;
/** Iterations after which memory is written down. */
const MEMORY_AT = [10, 40];

export const evaluationSchema = z.strictObject({ problems: z.int(), sampled: z.number(), greedy: z.number() });

export const bookSchema = z.strictObject({
  /** Mean rewards of the first and of the latest iterations. */
  first: z.array(z.number()).max(FEW),
  last: z.array(z.number()).max(FEW),
  /** Megabytes by iteration. */
  memory: z.record(z.string(), z.number()),
  start: evaluationSchema.nullable(),
});
type BookState = z.output<typeof bookSchema>;

/** Collects what a run's verdict is made of, iteration by iteration. */
export class ResultBook {
  /** Goes on from what an earlier process has collected of the run. */
  constructor(private readonly book: BookState = { first: [], last: [], memory: {}, start: null }) {}

  /** `rss` in bytes. */
  addIteration(iteration: number, reward: number, rss: number): void {
    const { first, last, memory } = this.book;
    if (first.length < FEW) first.push(reward);
    last.push(reward);
    last.splice(0, last.length - FEW);
    if (MEMORY_AT.includes(iteration)) memory[iteration] = rss / 1e6;
  }

  addEvaluation(iteration: number, evaluation: Evaluation): void {
    if (iteration === 0) this.book.start = evaluation;
  }

  /** All that has been collected, as JSON. */
  state(): BookState {
    return structuredClone(this.book);
  }

  result(base: Evaluation, trained: Evaluation, chance: number, seconds: number, model: string): RunResult {
    return {
      model,
      reward_first10: mean(this.book.first),
      reward_last10: mean(this.book.last),
      eval_base: base.sampled,
      eval_trained: trained.sampled,
      eval_base_greedy: base.greedy,
      eval_trained_greedy: trained.greedy,
      eval_problems: trained.problems,
      eval_start: this.book.start?.sampled ?? null,
      eval_start_greedy: this.book.start?.greedy ?? null,
      chance,
      seconds,
      rss_mb_iter10: this.book.memory[10] ?? null,
      rss_mb_iter40: this.book.memory[40] ?? null,
    };
  }
}
