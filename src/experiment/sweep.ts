/**
 * The sweep: one JSON document that says which experiments are compared. A base experiment is changed into arms, by name or by a grid
 * of values, and every arm runs with every seed. The page and the command line share it.
 */
import { z } from 'zod';
import { PlaygroundError } from '../runtime/errors.ts';
import { canonicalJson } from './canonical.ts';
import { applyOverrides } from './overrides.ts';
import { presetByName } from './presets.ts';
import { describeIssue, findForbiddenKey } from './refusal.ts';
import { parseExperiment, type Experiment } from './schema.ts';

z.config({ jitless: true });

export const SWEEP_VERSION = 1;

/** More arms than these do not fit a table that anybody reads. */
const MAX_ARMS = 64;

/** `path=value`, as --set takes it. */
const assignments = z.array(z.string().min(1).max(20_000)).max(100);
const seeds = z.array(z.int().min(0).max(2 ** 31 - 1)).min(1).max(1000);
const armName = z.string().min(1).max(80);

export const sweepSchema = z.strictObject({
  version: z.literal(SWEEP_VERSION),
  name: z.string().regex(/^[a-z0-9][a-z0-9-]*(?:\/[a-z0-9][a-z0-9-]*)?$/, 'lower-case letters, digits and hyphens, with at most one slash').max(80),
  /** What the source of the idea claims, with its direction; empty where nothing is claimed. */
  claim: z.string().max(1000).default(''),
  /** What is compared here. */
  question: z.string().max(1000).default(''),
  /** The experiment that all arms start from: a preset's name, or a whole experiment. */
  base: z.union([z.string().min(1).max(80), z.record(z.string(), z.unknown())]),
  /** Changes to the base that hold for every arm. */
  set: assignments.default([]),
  arms: z
    .array(
      z.strictObject({
        name: armName,
        /** Another preset than the sweep's base, for this arm. */
        base: z.string().min(1).max(80).optional(),
        set: assignments.default([]),
        /** The arm that this one is compared with; the first arm unless given. */
        against: armName.optional(),
      }),
    )
    .max(MAX_ARMS)
    .default([]),
  /** Values by path: every combination with every arm becomes an arm. */
  grid: z.record(z.string().min(1).max(200), z.array(z.json()).min(1).max(MAX_ARMS)).default({}),
  seeds: seeds.default([1, 2, 3, 4, 5]),
  /** Each arm first runs with every learning rate on these seeds, and then with its best by mean final sampled reward. */
  tune: z.strictObject({ learningRates: z.array(z.number().positive().max(1)).min(1).max(20), seeds }).nullable().default(null),
});

export type Sweep = z.output<typeof sweepSchema>;

export interface Arm {
  name: string;
  /** With the base's seed and learning rate. */
  experiment: Experiment;
  /** The name of the arm to compare with; null for the one that others are compared with. */
  against: string | null;
  /** The learning rates to choose from on the tuning seeds; none where its own holds, as where nothing is trained. */
  learningRates: readonly number[];
}

/** Throws a PlaygroundError whose message names what is wrong with the document, its arms' experiments included. */
export function parseSweep(document: unknown): Sweep {
  const forbidden = findForbiddenKey(document);
  if (forbidden !== null) throw new PlaygroundError('sweep-invalid', `The field ${forbidden} is not allowed in a sweep.`, 'Remove it.');
  const parsed = sweepSchema.safeParse(document);
  if (!parsed.success) {
    const { message, hint } = describeIssue(parsed.error.issues, document, sweepSchema, 'The sweep');
    throw new PlaygroundError('sweep-invalid', message, hint, { cause: parsed.error });
  }
  armsOf(parsed.data);
  return parsed.data;
}

/** The arms in the document's order. Throws a PlaygroundError for one whose experiment is refused. */
export function armsOf(sweep: Sweep): Arm[] {
  const named = sweep.arms.length > 0 ? sweep.arms : [{ name: '', set: [], base: undefined, against: undefined }];
  const arms = named.flatMap((arm) =>
    combinations(Object.entries(sweep.grid)).map(({ labels, changes }) => ({
      ...arm,
      name: [...(arm.name === '' ? [] : [arm.name]), ...labels].join(', ') || 'base',
      set: [...sweep.set, ...arm.set, ...changes],
    })),
  );
  refuseUnusableArms(arms);
  return arms.map(({ name, base, set, against }, index) => {
    const experiment = ofArm(name, () => applyOverrides(baseExperiment(base ?? sweep.base), set));
    return {
      name,
      experiment,
      against: against ?? (index === 0 ? null : (arms[0]?.name ?? null)),
      learningRates: experiment.algorithm.method === 'none' ? [] : (sweep.tune?.learningRates ?? []),
    };
  });
}

/** The arm's experiment as it runs. Everything but the name, which is for people, makes up a run's identity. */
export function experimentOf({ experiment }: Arm, seed: number, learningRate: number | null): Experiment {
  const { algorithm } = experiment;
  return { ...experiment, seed, algorithm: { ...algorithm, learningRate: learningRate ?? algorithm.learningRate } };
}

/** Equal for two experiments exactly when they are the same run, whatever they are called. */
export function identityOf(experiment: Experiment): string {
  return canonicalJson({ ...experiment, name: '' });
}

function baseExperiment(base: Sweep['base']): Experiment {
  return typeof base === 'string' ? presetByName(base) : parseExperiment(base);
}

function combinations(grid: readonly (readonly [string, readonly unknown[]])[]): { labels: string[]; changes: string[] }[] {
  return grid.reduce<{ labels: string[]; changes: string[] }[]>(
    (sofar, [path, values]) =>
      sofar.flatMap(({ labels, changes }) =>
        values.map((value) => {
          const text = typeof value === 'string' ? value : JSON.stringify(value);
          return { labels: [...labels, `${path.split('.').at(-1) ?? path}=${text}`], changes: [...changes, `${path}=${JSON.stringify(value)}`] };
        }),
      ),
    [{ labels: [], changes: [] }],
  );
}

function refuseUnusableArms(arms: readonly { name: string; against?: string | undefined }[]): void {
  if (arms.length > MAX_ARMS) {
    throw new PlaygroundError('sweep-invalid', `The sweep has ${arms.length} arms; at most ${MAX_ARMS} can be compared.`, 'Give it fewer values.');
  }
  const names = arms.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new PlaygroundError('sweep-invalid', `Two arms are called "${twice}".`, 'Give every arm a name of its own.');
  const missing = arms.find(({ name, against }) => against !== undefined && (against === name || !names.includes(against)));
  if (missing === undefined) return;
  throw new PlaygroundError('sweep-invalid', `The arm "${missing.name}" is to be compared with "${missing.against ?? ''}", which is no other arm.`, `The arms are: ${names.join('; ')}.`);
}

/** What is refused in an arm names the arm. */
function ofArm<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof PlaygroundError)) throw error;
    throw new PlaygroundError(error.code, `In the arm "${name}": ${error.message}`, error.hint, { cause: error });
  }
}
