/** What came of a sweep: a verdict per run, and per arm what the seeds together say. `sweep.json` holds it. */
import { z } from 'zod';
import { mean } from '../marft/arrays.ts';
import { PlaygroundError } from '../runtime/errors.ts';
import { canonicalJson } from './canonical.ts';
import { describeIssue, findForbiddenKey } from './refusal.ts';
import { areaUnderCurve, bootstrapMean, pairedBootstrap, type Interval, type PairedComparison } from './statistics.ts';
import { armsOf, parseSweep, SWEEP_VERSION, sweepSchema, type Sweep } from './sweep.ts';

z.config({ jitless: true });

/** Iterations over which a curve is smoothed before its best place is looked for. */
const SMOOTHED = 5;
/** A run has collapsed when it ends this far (in reward) below the untrained team … */
const WORSE_THAN_BASE = 0.05;
/** … or when the mean of its last iterations is below this share of the best that it reached. */
const FALLEN_TO = 0.5;

const reward = z.number();

const summarySchema = z.strictObject({
  /** Mean reward on held-out problems after training and before it, sampled and with the likeliest tokens. */
  sampled: reward,
  greedy: reward,
  baseSampled: reward,
  baseGreedy: reward,
  /** Mean height of the training reward's curve. */
  auc: reward,
  /** The highest mean of five training iterations in a row. */
  best: reward,
  collapsed: z.boolean(),
});

const outcomeSchema = z.discriminatedUnion('status', [
  z.strictObject({
    status: z.literal('done'),
    arm: z.string().max(200),
    seed: z.int(),
    learningRate: z.number(),
    summary: summarySchema,
    /** Training reward of each iteration. */
    rewards: z.array(reward).max(100_000),
  }),
  z.strictObject({ status: z.literal('failed'), arm: z.string().max(200), seed: z.int(), learningRate: z.number(), reason: z.string().max(4000) }),
]);

const documentSchema = z.looseObject({
  version: z.literal(SWEEP_VERSION),
  sweep: sweepSchema,
  /** Runs whose learning rate was tried. */
  tuning: z.array(outcomeSchema).max(100_000),
  runs: z.array(outcomeSchema).max(100_000),
});

export type RunSummary = z.output<typeof summarySchema>;
export type RunOutcome = z.output<typeof outcomeSchema>;

type Quantity = 'sampled' | 'greedy' | 'auc' | 'best';

export interface ArmResult {
  arm: string;
  /** Seeds that came to an end, of these collapsed ones, and seeds whose training failed. */
  done: number;
  collapsed: number;
  failed: number;
  /** Seeds that have not run yet. */
  missing: number;
  /** The learning rate that its runs had; null before any. */
  learningRate: number | null;
  /** Over the seeds that came to an end, the collapsed ones among them; null where none did. */
  sampled: Interval | null;
  greedy: Interval | null;
  auc: Interval | null;
  best: Interval | null;
  /** The arm that it is compared with, by pairs of equal seeds: the difference this arm − that arm. */
  against: string | null;
  difference: { sampled: PairedComparison | null; auc: PairedComparison | null } | null;
}

export interface SweepResults {
  version: typeof SWEEP_VERSION;
  sweep: Sweep;
  tuning: RunOutcome[];
  runs: RunOutcome[];
  arms: ArmResult[];
}

/** A finished run in a few numbers. `rewards` is the training reward by iteration. */
export function summarize(rewards: readonly number[], evaluated: Pick<RunSummary, 'sampled' | 'greedy' | 'baseSampled' | 'baseGreedy'>): RunSummary {
  const windows = Array.from({ length: Math.max(1, rewards.length - SMOOTHED + 1) }, (_, start) => mean(rewards.slice(start, start + SMOOTHED)));
  const best = Math.max(...windows);
  const last = windows.at(-1) ?? Number.NaN;
  const collapsed = evaluated.sampled < evaluated.baseSampled - WORSE_THAN_BASE || last < FALLEN_TO * best;
  return { ...evaluated, auc: areaUnderCurve(rewards), best, collapsed };
}

/** The results of what has run so far, in the order of the sweep, whatever the order in which it ran. */
export function resultsOf(sweep: Sweep, tuning: readonly RunOutcome[], runs: readonly RunOutcome[]): SweepResults {
  const arms = armsOf(sweep);
  const place = ({ arm, learningRate, seed }: RunOutcome): [number, number, number] => [arms.findIndex(({ name }) => name === arm), learningRate, seed];
  const sorted = (outcomes: readonly RunOutcome[]): RunOutcome[] => [...outcomes].sort((a, b) => compare(place(a), place(b)));
  const ofArm = (name: string): RunOutcome[] => runs.filter(({ arm }) => arm === name);
  return {
    version: SWEEP_VERSION,
    sweep,
    tuning: sorted(tuning),
    runs: sorted(runs),
    arms: arms.map(({ name, against }, index) => armResult(sweep, name, against, index, sorted(ofArm(name)), against === null ? [] : ofArm(against))),
  };
}

/** The learning rate of an arm's tuning runs with the highest mean final sampled reward (a failed run counts 0), the first among equals; null without any. */
export function bestLearningRate(arm: string, tuning: readonly RunOutcome[]): number | null {
  const own = tuning.filter((outcome) => outcome.arm === arm);
  const rates = [...new Set(own.map(({ learningRate }) => learningRate))];
  const scored = rates.map((rate) => ({
    rate,
    score: mean(own.filter(({ learningRate }) => learningRate === rate).map((one) => (one.status === 'done' ? one.summary.sampled : 0))),
  }));
  return scored.reduce<{ rate: number; score: number } | null>((best, one) => (best === null || one.score > best.score ? one : best), null)?.rate ?? null;
}

/** Reads a `sweep.json`. Throws a PlaygroundError (`sweep-invalid`) when it is none; what it concludes is concluded anew. */
export function parseResults(document: unknown): SweepResults {
  const forbidden = findForbiddenKey(document);
  if (forbidden !== null) throw new PlaygroundError('sweep-invalid', `The field ${forbidden} is not allowed in results.`, 'Remove it.');
  const parsed = documentSchema.safeParse(document);
  if (!parsed.success) {
    const { message, hint } = describeIssue(parsed.error.issues, document, documentSchema, 'The file of results');
    throw new PlaygroundError('sweep-invalid', message, hint, { cause: parsed.error });
  }
  const { sweep, tuning, runs } = parsed.data;
  return resultsOf(parseSweep(sweep), tuning, runs);
}

/** The shards of one sweep as if it had run whole. Throws a PlaygroundError when they are not of one sweep. */
export function mergeResults(shards: readonly SweepResults[]): SweepResults {
  const [first, ...others] = shards;
  if (first === undefined) throw new PlaygroundError('sweep-invalid', 'There is nothing to merge.', 'Give at least one folder with results.');
  const other = others.find(({ sweep }) => canonicalJson(sweep) !== canonicalJson(first.sweep));
  if (other !== undefined) {
    throw new PlaygroundError('sweep-invalid', `"${first.sweep.name}" and "${other.sweep.name}" are not shards of one sweep: their documents differ.`, 'Run all shards with the same arguments but for --shard.');
  }
  const all = (pick: (one: SweepResults) => readonly RunOutcome[]): RunOutcome[] => withoutRepeats(shards.flatMap(pick));
  return resultsOf(first.sweep, all((one) => one.tuning), all((one) => one.runs));
}

/** Of two outcomes of the same run, the one that came to an end. */
function withoutRepeats(outcomes: readonly RunOutcome[]): RunOutcome[] {
  const byRun = new Map<string, RunOutcome>();
  for (const outcome of outcomes) {
    const key = JSON.stringify([outcome.arm, outcome.learningRate, outcome.seed]);
    if (byRun.get(key)?.status !== 'done') byRun.set(key, outcome);
  }
  return [...byRun.values()];
}

function armResult(sweep: Sweep, arm: string, against: string | null, index: number, outcomes: readonly RunOutcome[], others: readonly RunOutcome[]): ArmResult {
  const done = summaries(outcomes);
  const values = (quantity: Quantity, of = done): number[] => of.map(({ summary }) => summary[quantity]);
  const paired = done.flatMap((one) => summaries(others).filter(({ seed }) => seed === one.seed).map((other) => ({ one, other })));
  const compareBy = (quantity: 'sampled' | 'auc'): PairedComparison | null =>
    pairedBootstrap(values(quantity, paired.map(({ one }) => one)), values(quantity, paired.map(({ other }) => other)), index);
  return {
    arm,
    done: done.length,
    collapsed: done.filter(({ summary }) => summary.collapsed).length,
    failed: outcomes.length - done.length,
    missing: sweep.seeds.length - outcomes.length,
    learningRate: outcomes[0]?.learningRate ?? null,
    sampled: bootstrapMean(values('sampled'), index),
    greedy: bootstrapMean(values('greedy'), index),
    auc: bootstrapMean(values('auc'), index),
    best: bootstrapMean(values('best'), index),
    against,
    difference: against === null ? null : { sampled: compareBy('sampled'), auc: compareBy('auc') },
  };
}

function summaries(outcomes: readonly RunOutcome[]): { seed: number; summary: RunSummary }[] {
  return outcomes.flatMap((one) => (one.status === 'done' ? [{ seed: one.seed, summary: one.summary }] : []));
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, k) => value !== b[k]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}
