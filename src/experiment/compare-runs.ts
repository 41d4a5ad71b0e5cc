/** Any number of runs side by side: those that differ in nothing but their seed are one group, and the seeds together say something. */
import { mean } from '../marft/arrays.ts';
import { canonicalJson } from './canonical.ts';
import { differenceBetween } from './difference.ts';
import type { Experiment } from './schema.ts';
import { areaUnderCurve, bootstrapCurves, bootstrapMean, pairedBootstrap, type Interval, type PairedComparison } from './statistics.ts';
import { summarize } from './sweep-results.ts';

/** Of everything that is drawn by chance here. */
const SEED = 1;
/** Iterations that a run's end and its best place are averaged over. */
const FEW = 5;
/** Places of a curve where its interval is reckoned: more could not be told apart in a drawing. */
const PLACES = 120;

export interface Evaluated {
  sampled: number;
  greedy: number;
  baseSampled: number;
  baseGreedy: number;
}

export interface ComparedRun {
  id: string;
  /** What people call it. */
  name: string;
  experiment: Experiment;
  /** Training reward of each iteration. */
  rewards: number[];
  /** On held-out problems after and before training; null where that was not measured. */
  evaluated: Evaluated | null;
  /** Why it failed; null: it did not. */
  failure: string | null;
}

export interface Group {
  label: string;
  runs: ComparedRun[];
}

export type Quantity = 'final' | 'auc' | 'best';

export interface GroupResult {
  label: string;
  /** Seeds of the runs that can be reckoned with, in order. */
  seeds: number[];
  /** Of all its runs: collapsed ones (which count in every mean), those that failed, and those that have not come to their end. */
  collapsed: number;
  failed: number;
  unfinished: number;
  final: Interval | null;
  auc: Interval | null;
  best: Interval | null;
  /** Mean and interval over the seeds, at the iterations that all of them have reached. */
  band: { iteration: number; interval: Interval }[];
  /** Every seed's whole curve. */
  curves: { seed: number; rewards: number[] }[];
}

export interface Comparison {
  groups: GroupResult[];
  /** Held-out reward where every run has it; else the mean of the last five training iterations. */
  finalKind: 'held-out' | 'last iterations';
  /** Area and best place are taken up to this iteration, which every run has reached. */
  commonIterations: number;
  /** `pairs[a][b]`: what is known of group a − group b; null on the diagonal and where no seed is common. */
  pairs: (Record<Quantity, PairedComparison | null> | null)[][];
}

/** Groups in the order of their first run. Labels say what differs, by the last part of its path. */
export function groupRuns(runs: readonly ComparedRun[]): Group[] {
  const byKey = new Map<string, ComparedRun[]>();
  for (const run of runs) {
    const key = canonicalJson({ ...run.experiment, name: '', seed: 0 });
    byKey.set(key, [...(byKey.get(key) ?? []), run]);
  }
  const groups = [...byKey.values()];
  const settings = settingsTable(groups.flatMap(([first]) => (first ? [first.experiment] : [])));
  return withDistinctLabels(groups.map((own, index) => ({ label: labelOf(settings, index, own), runs: own })));
}

/** Fields in which the experiments differ, but for their names and seeds: one value an experiment, undefined where it has none. */
export function settingsTable(experiments: readonly Experiment[]): { path: string; values: unknown[] }[] {
  const [first, ...others] = experiments;
  if (first === undefined) return [];
  const paths = new Set<string>();
  for (const other of others) {
    const { set, dropped } = differenceBetween({ ...first, name: '', seed: 0 }, { ...other, name: '', seed: 0 });
    for (const path of [...Object.keys(set), ...dropped]) paths.add(path);
  }
  return [...paths].sort().map((path) => ({ path, values: experiments.map((one) => valueAt(one, path)) }));
}

/** Everything that is reckoned of the groups: a function of them alone, for chance is seeded. */
export function compareGroups(groups: readonly Group[]): Comparison {
  const usable = groups.map(({ runs }) => oneASeed(runs.filter(({ failure, rewards }) => failure === null && rewards.length > 0)));
  const all = usable.flat();
  const finalKind = all.length > 0 && all.every(({ evaluated }) => evaluated !== null) ? 'held-out' : 'last iterations';
  const commonIterations = all.length === 0 ? 0 : Math.min(...all.map(({ rewards }) => rewards.length));
  const measure = (run: ComparedRun): Record<Quantity, number> => ({
    final: finalKind === 'held-out' ? (run.evaluated?.sampled ?? Number.NaN) : mean(run.rewards.slice(-FEW)),
    auc: areaUnderCurve(run.rewards.slice(0, commonIterations)),
    best: summarize(run.rewards.slice(0, commonIterations), NOT_EVALUATED).best,
  });
  const measured = usable.map((runs) => runs.map((run) => ({ seed: run.experiment.seed, ...measure(run) })));
  return {
    groups: groups.map((group, index) => groupResult(group, usable[index] ?? [], measured[index] ?? [])),
    finalKind,
    commonIterations,
    pairs: measured.map((a) => measured.map((b) => (a === b ? null : paired(a, b)))),
  };
}

/** Whether the run has collapsed, as sweeps say it; what was not evaluated can only fall in training. */
export function hasCollapsed({ rewards, evaluated }: ComparedRun): boolean {
  return rewards.length > 0 && summarize(rewards, evaluated ?? NOT_EVALUATED).collapsed;
}

const NOT_EVALUATED: Evaluated = { sampled: Number.NaN, greedy: Number.NaN, baseSampled: Number.NaN, baseGreedy: Number.NaN };

type Measured = { seed: number } & Record<Quantity, number>;

function groupResult({ label, runs }: Group, usable: readonly ComparedRun[], measured: readonly Measured[]): GroupResult {
  const interval = (quantity: Quantity): Interval | null => bootstrapMean(measured.map((one) => one[quantity]), SEED);
  const length = usable.length === 0 ? 0 : Math.min(...usable.map(({ rewards }) => rewards.length));
  const places = spread(length);
  const band = bootstrapCurves(usable.map(({ rewards }) => places.map((at) => rewards[at] ?? Number.NaN)), SEED);
  return {
    label,
    seeds: usable.map(({ experiment }) => experiment.seed),
    collapsed: usable.filter(hasCollapsed).length,
    failed: runs.filter(({ failure }) => failure !== null).length,
    unfinished: usable.filter(({ rewards, experiment }) => rewards.length < experiment.schedule.iterations).length,
    final: interval('final'),
    auc: interval('auc'),
    best: interval('best'),
    band: places.flatMap((at, k) => {
      const here = band[k];
      return here === undefined ? [] : [{ iteration: at + 1, interval: here }];
    }),
    curves: usable.map(({ experiment, rewards }) => ({ seed: experiment.seed, rewards })),
  };
}

function paired(a: readonly Measured[], b: readonly Measured[]): Record<Quantity, PairedComparison | null> | null {
  const pairs = a.flatMap((one) => b.filter(({ seed }) => seed === one.seed).map((other) => [one, other] as const));
  if (pairs.length === 0) return null;
  const of = (quantity: Quantity): PairedComparison | null => pairedBootstrap(pairs.map(([one]) => one[quantity]), pairs.map(([, other]) => other[quantity]), SEED);
  return { final: of('final'), auc: of('auc'), best: of('best') };
}

/** A seed that ran twice counts once: the run that came further, the first of equals. In the order of the seeds. */
function oneASeed(runs: readonly ComparedRun[]): ComparedRun[] {
  const bySeed = new Map<number, ComparedRun>();
  for (const run of runs) {
    const known = bySeed.get(run.experiment.seed);
    if (known === undefined || run.rewards.length > known.rewards.length) bySeed.set(run.experiment.seed, run);
  }
  return [...bySeed.values()].toSorted((a, b) => a.experiment.seed - b.experiment.seed);
}

/** Indices from 0 to `length` − 1, all of them or evenly spread, both ends among them. */
function spread(length: number): number[] {
  if (length <= PLACES) return Array.from({ length }, (_, k) => k);
  return [...new Set(Array.from({ length: PLACES }, (_, k) => Math.round((k * (length - 1)) / (PLACES - 1))))];
}

/** Fields that fit into a label. */
const LABELLED = 2;

function labelOf(settings: ReturnType<typeof settingsTable>, index: number, runs: readonly ComparedRun[]): string {
  const short = settings.filter(({ values }) => values.every((value) => typeof value !== 'object' || value === null)).slice(0, LABELLED);
  const parts = short.map(({ path, values }) => `${path.split('.').at(-1) ?? path} = ${String(values[index] ?? 'none')}`);
  return parts.join(', ') || (runs[0]?.name ?? '');
}

/** Two groups that differ in what does not fit into a label get their first run's name as well. */
function withDistinctLabels(groups: readonly Group[]): Group[] {
  return groups.map((group) => {
    const twice = groups.some((other) => other !== group && other.label === group.label);
    return twice ? { ...group, label: `${group.label} (${group.runs[0]?.name ?? ''}, seed ${group.runs[0]?.experiment.seed ?? ''})` } : group;
  });
}

function valueAt(document: unknown, path: string): unknown {
  let value = document;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}
