/**
 * What the index knows of a run. Two files, because two write: `<id>.run.json` is its trainer's, `<id>.notes.json` the reader's, so that a
 * star given while it trains is not overwritten.
 */
import { z } from 'zod';
import { parseExperiment, type Experiment } from '../experiment/schema.ts';
import type { MetricRow } from '../marft/records.ts';
import { PlaygroundError } from '../runtime/errors.ts';

z.config({ jitless: true });

export const RECORD_VERSION = 1;
/** Enough for a drawing as wide as a thumb. */
const CURVE_POINTS = 60;
export const MAX_TAGS = 20;

export const idSchema = z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/);

const evaluated = z.strictObject({ problems: z.int().min(0), sampled: z.number(), greedy: z.number() }).nullable();

const recordSchema = z.strictObject({
  version: z.literal(RECORD_VERSION),
  id: idSchema,
  /** The whole document. */
  experiment: z.unknown(),
  backend: z.enum(['cpu', 'wasm', 'webgpu']),
  /** Name and version of the base. */
  model: z.string().max(1000),
  /** Trained by the page, by one of its sweeps, or brought in from a file. */
  origin: z.enum(['page', 'sweep', 'file']),
  /** Which arm of which sweep it is a run of. */
  arm: z.strictObject({ sweep: z.string().max(80), name: z.string().max(200) }).nullable(),
  startedAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  /** Completed iterations. */
  iteration: z.int().min(0),
  /** Held-out reward before training, and the latest one since. */
  base: evaluated,
  final: evaluated,
  /** Training reward, thinned out. */
  curve: z.array(z.number()).max(CURVE_POINTS),
});

const notesSchema = z.strictObject({
  version: z.literal(RECORD_VERSION),
  /** Instead of the two words. */
  name: z.string().min(1).max(80).nullable().default(null),
  tags: z.array(z.string().min(1).max(40)).max(MAX_TAGS).default([]),
  starred: z.boolean().default(false),
  /** Out of sight since then, and gone for good some time later. */
  deletedAt: z.iso.datetime().nullable().default(null),
});

export type RunRecord = Omit<z.output<typeof recordSchema>, 'experiment'> & { experiment: Experiment };
export type RunNotes = z.output<typeof notesSchema>;

export const NO_NOTES: RunNotes = { version: RECORD_VERSION, name: null, tags: [], starred: false, deletedAt: null };

/** Throws a PlaygroundError (`run-broken`) for what is no record. */
export function parseRecord(document: unknown): RunRecord {
  const parsed = recordSchema.safeParse(document);
  if (!parsed.success) throw new PlaygroundError('run-broken', 'What is known of a run cannot be read.', 'Export it with the release that wrote it.', { cause: parsed.error });
  return { ...parsed.data, experiment: parseExperiment(parsed.data.experiment) };
}

/** Notes that cannot be read are none. */
export function parseNotes(document: unknown): RunNotes {
  const parsed = notesSchema.safeParse(document);
  return parsed.success ? parsed.data : NO_NOTES;
}

/** This moment, as records hold it. */
export function now(): string {
  return new Date().toISOString();
}

/** At most sixty of the training rewards, evenly spread, the last one always. */
export function thinCurve(rewards: readonly number[]): number[] {
  if (rewards.length <= CURVE_POINTS) return [...rewards];
  return Array.from({ length: CURVE_POINTS }, (_, k) => rewards[Math.round((k * (rewards.length - 1)) / (CURVE_POINTS - 1))] ?? 0);
}

/** The rows' training rewards, in order. */
export function rewardsOf(rows: readonly MetricRow[]): number[] {
  return rows.flatMap((row) => (row.iteration > 0 && row['reward/mean'] !== undefined ? [row['reward/mean']] : []));
}

/** The last held-out evaluation among the rows; null where there is none. */
export function lastEvaluation(rows: readonly MetricRow[], problems: number): RunRecord['final'] {
  const row = rows.findLast((one) => one.iteration > 0 && one['eval/reward'] !== undefined);
  const [sampled, greedy] = [row?.['eval/reward'], row?.['eval/reward_greedy']];
  return sampled === undefined || greedy === undefined ? null : { problems, sampled, greedy };
}

/** The evaluation before training as a row of its own, as curves begin. */
export function rowsWithBase({ base }: Pick<RunRecord, 'base'>, rows: readonly MetricRow[]): MetricRow[] {
  return base === null ? [...rows] : [{ iteration: 0, 'eval/reward': base.sampled, 'eval/reward_greedy': base.greedy }, ...rows];
}
