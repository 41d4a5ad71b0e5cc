/** Runs what a sweep asks for: first the learning rates to choose from, then every arm with its best one, several runs at once. */
import type { Experiment } from '../experiment/schema.ts';
import { bestLearningRate, resultsOf, type RunOutcome, type SweepResults } from '../experiment/sweep-results.ts';
import { armsOf, experimentOf, identityOf, type Arm, type Sweep } from '../experiment/sweep.ts';
import type { Finished } from './run-pool.ts';

/** Part `index` of `count`, counted from 1. */
export interface Shard {
  index: number;
  count: number;
}

export interface SweepWork {
  sweep: Sweep;
  jobs: number;
  shard: Shard;
  /** What came of an experiment that has run already; null otherwise. */
  find: (experiment: Experiment) => Finished | null;
  /** Runs an experiment; what went wrong, when it does not come to its end. */
  launch: (experiment: Experiment) => Promise<Finished | { reason: string }>;
  /** Whether nothing more shall be started. */
  stopped: () => boolean;
  /** Hears of every outcome, and of the results so far. `left` runs are still to come. */
  tell: (outcome: RunOutcome, news: { ran: boolean; left: number; results: SweepResults }) => void;
}

interface Wanted {
  arm: Arm;
  seed: number;
  learningRate: number;
}

/**
 * The results, of as much as ran before it was stopped. A shard takes every `count`-th run; where learning rates are tried, every
 * `count`-th arm, because its runs wait for its own tuning.
 */
export async function conductSweep(work: SweepWork): Promise<SweepResults> {
  const { sweep, jobs, shard, stopped } = work;
  const tuning: RunOutcome[] = [];
  const runs: RunOutcome[] = [];
  const mine = <T>(all: readonly T[]): T[] => all.filter((_, index) => index % shard.count === shard.index - 1);
  const arms = sweep.tune === null ? armsOf(sweep) : mine(armsOf(sweep));
  const trials = arms.flatMap((arm) =>
    arm.learningRates.flatMap((learningRate) => (sweep.tune?.seeds ?? []).map((seed): Wanted => ({ arm, seed, learningRate }))),
  );
  const real = (): Wanted[] =>
    arms.flatMap((arm) =>
      sweep.seeds.map((seed): Wanted => ({ arm, seed, learningRate: bestLearningRate(arm.name, tuning) ?? arm.experiment.algorithm.learningRate })),
    );
  const shared = new Map<string, Promise<{ ran: boolean; outcome: Finished | { reason: string } }>>();
  const count = sweep.tune === null ? mine(real()).length : real().length;
  let left = trials.length + count;

  const settle = async (wanted: Wanted, list: RunOutcome[]): Promise<void> => {
    const { arm, seed, learningRate } = wanted;
    const experiment = experimentOf(arm, seed, learningRate);
    const key = identityOf(experiment);
    const promise = shared.get(key) ?? settled(work, experiment);
    shared.set(key, promise);
    const { ran, outcome } = await promise;
    if ('reason' in outcome && stopped()) return;
    left -= 1;
    const about = { arm: arm.name, seed, learningRate };
    const told: RunOutcome = 'reason' in outcome ? { status: 'failed', ...about, reason: outcome.reason } : { status: 'done', ...about, ...outcome };
    list.push(told);
    work.tell(told, { ran, left, results: resultsOf(sweep, tuning, runs) });
  };

  await inParallel(trials, jobs, stopped, (wanted) => settle(wanted, tuning));
  if (!stopped()) await inParallel(sweep.tune === null ? mine(real()) : real(), jobs, stopped, (wanted) => settle(wanted, runs));
  return resultsOf(sweep, tuning, runs);
}

async function settled({ find, launch }: SweepWork, experiment: Experiment): Promise<{ ran: boolean; outcome: Finished | { reason: string } }> {
  const found = find(experiment);
  return found === null ? { ran: true, outcome: await launch(experiment) } : { ran: false, outcome: found };
}

/** Works through the items in order, `jobs` at a time, and starts no more once stopped. */
async function inParallel<T>(items: readonly T[], jobs: number, stopped: () => boolean, work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const worker = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined && !stopped(); item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(jobs, items.length) }, worker));
}
