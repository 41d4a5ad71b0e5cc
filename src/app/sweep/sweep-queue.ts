/** A sweep and how far it has come, as plain data that is stored as it is; every function gives a changed copy. */
import { z } from 'zod';
import type { Experiment } from '../../experiment/schema.ts';
import { bestLearningRate, parseResults, resultsOf, type RunOutcome } from '../../experiment/sweep-results.ts';
import { armsOf, experimentOf, identityOf, type Arm, type Sweep } from '../../experiment/sweep.ts';
import { PlaygroundError } from '../../runtime/errors.ts';
import { idSchema } from '../../run-store/run-record.ts';

z.config({ jitless: true });

export const SWEEP_FILE_VERSION = 1;

export interface SweepQueue {
  id: string;
  /** ISO 8601. */
  madeAt: string;
  sweep: Sweep;
  tuning: readonly RunOutcome[];
  runs: readonly RunOutcome[];
  /** Keys of jobs that somebody put in front, in their order. */
  first: readonly string[];
  /** Keys of jobs that shall not run. */
  cancelled: readonly string[];
}

export interface Job {
  key: string;
  arm: string;
  seed: number;
  learningRate: number;
  /** Whether it is for choosing a learning rate. */
  tuning: boolean;
  experiment: Experiment;
}

const storedSchema = z.strictObject({
  version: z.literal(SWEEP_FILE_VERSION),
  id: idSchema,
  madeAt: z.iso.datetime(),
  results: z.unknown(),
  first: z.array(z.string().max(400)),
  cancelled: z.array(z.string().max(400)),
});

export function newQueue(id: string, sweep: Sweep): SweepQueue {
  return { id, madeAt: new Date().toISOString(), sweep, tuning: [], runs: [], first: [], cancelled: [] };
}

/** As JSON. */
export function storeQueue({ id, madeAt, sweep, tuning, runs, first, cancelled }: SweepQueue): string {
  return JSON.stringify({ version: SWEEP_FILE_VERSION, id, madeAt, results: { version: sweep.version, sweep, tuning, runs }, first, cancelled });
}

/** Throws a PlaygroundError for what is no stored sweep. */
export function readQueue(document: unknown): SweepQueue {
  const parsed = storedSchema.safeParse(document);
  if (!parsed.success) throw new PlaygroundError('sweep-invalid', 'A stored sweep cannot be read.', 'Start it again.', { cause: parsed.error });
  const { id, madeAt, results, first, cancelled } = parsed.data;
  const { sweep, tuning, runs } = parseResults(results);
  return { id, madeAt, sweep, tuning, runs, first, cancelled };
}

/** What can be run now, next first. */
export function waitingJobs(queue: SweepQueue): Job[] {
  const over = outcomeKeys(queue);
  const jobs = armsOf(queue.sweep).flatMap((arm) => jobsOfArm(queue, arm, over)).filter(({ key }) => !over.has(key) && !queue.cancelled.includes(key));
  // Tuning first: what comes after it waits for it.
  const ordered = [...jobs.filter(({ tuning }) => tuning), ...jobs.filter(({ tuning }) => !tuning)];
  const place = ({ key }: Job): number => (queue.first.includes(key) ? queue.first.indexOf(key) : queue.first.length);
  return ordered.toSorted((a, b) => place(a) - place(b));
}

/** Runs that cannot be queued yet, because their learning rate is still being chosen. */
export function laterRuns(queue: SweepQueue): number {
  const over = outcomeKeys(queue);
  return armsOf(queue.sweep).reduce((sum, arm) => sum + (trialsOf(queue, arm).some(({ key }) => isOpen(queue, over, key)) ? queue.sweep.seeds.length : 0), 0);
}

/** Iterations of everything that is still to come. */
export function iterationsLeft(queue: SweepQueue): number {
  const later = laterRuns(queue) * (armsOf(queue.sweep)[0]?.experiment.schedule.iterations ?? 0);
  return waitingJobs(queue).reduce((sum, { experiment }) => sum + experiment.schedule.iterations, later);
}

export function settle(queue: SweepQueue, { arm, seed, learningRate, tuning }: Job, came: Came): SweepQueue {
  const about = { arm, seed, learningRate };
  const outcome: RunOutcome = 'reason' in came ? { status: 'failed', ...about, reason: came.reason.slice(0, 4000) } : { status: 'done', ...about, ...came };
  return tuning ? { ...queue, tuning: [...queue.tuning, outcome] } : { ...queue, runs: [...queue.runs, outcome] };
}

export type Came = Pick<Extract<RunOutcome, { status: 'done' }>, 'rewards' | 'summary'> | { reason: string };

/** What came of another job that is the same run under another arm's name; null where none has ended. */
export function knownOutcome(queue: SweepQueue, job: Job): Came | null {
  const identity = identityOf(job.experiment);
  const arms = armsOf(queue.sweep);
  for (const outcome of [...queue.tuning, ...queue.runs]) {
    const arm = arms.find(({ name }) => name === outcome.arm);
    if (outcome.status === 'done' && arm !== undefined && identityOf(experimentOf(arm, outcome.seed, outcome.learningRate)) === identity) {
      return { rewards: outcome.rewards, summary: outcome.summary };
    }
  }
  return null;
}

/** Moves a waiting job by so many places among `shown`, the waiting ones; −Infinity: to the front. */
export function moveJob(queue: SweepQueue, key: string, by: number): SweepQueue {
  const keys = waitingJobs(queue).map((job) => job.key);
  const from = keys.indexOf(key);
  if (from < 0) return queue;
  const to = Math.min(keys.length - 1, Math.max(0, from + by));
  const others = keys.filter((one) => one !== key);
  return { ...queue, first: [...others.slice(0, to), key, ...others.slice(to)] };
}

export function cancelJob(queue: SweepQueue, key: string): SweepQueue {
  return { ...queue, cancelled: [...queue.cancelled, key] };
}

/** Cancelled and failed runs are wanted again. */
export function wantAgain(queue: SweepQueue): SweepQueue {
  const done = ({ status }: RunOutcome): boolean => status === 'done';
  return { ...queue, cancelled: [], tuning: queue.tuning.filter(done), runs: queue.runs.filter(done) };
}

/** Runs of the whole sweep: those that came to an end, failed ones among them, and all of them. */
export function countRuns(queue: SweepQueue): { ended: number; failed: number; all: number } {
  const outcomes = [...queue.tuning, ...queue.runs];
  const failed = outcomes.filter(({ status }) => status === 'failed').length;
  return { ended: outcomes.length, failed, all: outcomes.length + waitingJobs(queue).length + laterRuns(queue) };
}

/** `sweep.json`, as the command line writes it and merges it. */
export function resultsJson({ sweep, tuning, runs }: SweepQueue): string {
  return `${JSON.stringify(resultsOf(sweep, tuning, runs), null, 1)}\n`;
}

function jobsOfArm(queue: SweepQueue, arm: Arm, over: ReadonlySet<string>): Job[] {
  const trials = trialsOf(queue, arm);
  if (trials.some(({ key }) => isOpen(queue, over, key))) return trials;
  const learningRate = bestLearningRate(arm.name, queue.tuning) ?? arm.experiment.algorithm.learningRate;
  return [...trials, ...queue.sweep.seeds.map((seed) => job(arm, seed, learningRate, false))];
}

function trialsOf({ sweep }: SweepQueue, arm: Arm): Job[] {
  return arm.learningRates.flatMap((rate) => (sweep.tune?.seeds ?? []).map((seed) => job(arm, seed, rate, true)));
}

function isOpen({ cancelled }: SweepQueue, over: ReadonlySet<string>, key: string): boolean {
  return !over.has(key) && !cancelled.includes(key);
}

function job(arm: Arm, seed: number, learningRate: number, tuning: boolean): Job {
  return { key: keyOf(arm.name, seed, learningRate, tuning), arm: arm.name, seed, learningRate, tuning, experiment: experimentOf(arm, seed, learningRate) };
}

function outcomeKeys({ tuning, runs }: SweepQueue): Set<string> {
  const of = (outcomes: readonly RunOutcome[], isTuning: boolean): string[] => outcomes.map(({ arm, seed, learningRate }) => keyOf(arm, seed, learningRate, isTuning));
  return new Set([...of(tuning, true), ...of(runs, false)]);
}

function keyOf(arm: string, seed: number, learningRate: number, tuning: boolean): string {
  return JSON.stringify([tuning ? 'tuning' : 'run', arm, seed, learningRate]);
}
