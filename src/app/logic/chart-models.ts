/** What each chart shows, made from a run's rows of metrics. No drawing here. */
import type { MetricRow } from '../../marft/records.ts';
import type { TermName } from '../ui/terms.ts';

export interface ChartSeries {
  label: string;
  /** Name of a colour in tokens.css, with its dashes. */
  colour: `--${string}`;
  style: 'solid' | 'dashed' | 'dotted' | 'points' | 'dashed-points';
  term?: TermName;
  /** One per x; null where there is nothing. */
  values: (number | null)[];
}

/** A horizontal line to compare with. */
export interface ChartLevel {
  label: string;
  style: 'dashed' | 'dotted';
  term?: TermName;
  value: number;
}

export interface ChartModel {
  id: string;
  title: string;
  term: TermName;
  yLabel: string;
  /** Limits of the y axis from those of the data. */
  yLimits: (min: number, max: number) => [number, number];
  digits: number;
  /** Iterations. */
  x: number[];
  /** Where the x axis ends at least. */
  xEnd: number;
  series: ChartSeries[];
  levels: ChartLevel[];
  /** How many points lie above the y axis, which would be useless if it reached so far. */
  pointsAbove?: number;
}

export interface ChartContext {
  rows: readonly MetricRow[];
  /** Agents' names in the team's order. */
  agents: readonly string[];
  chance: number | null;
  /** Iterations of the schedule. */
  iterations: number;
  /** A curve of somebody else's run to lay beneath. */
  shared?: { x: readonly number[]; y: readonly number[] } | null;
}

/** Team reward in training and on held-out problems, over the levels of chance and of the untrained team. */
export function rewardChart({ rows: own, chance, iterations, shared }: ChartContext): ChartModel {
  const rows = shared ? withIterations(own, shared.x) : own;
  const base = rows.find(({ iteration }) => iteration === 0)?.['eval/reward'] ?? null;
  const levels: ChartLevel[] = [];
  if (base !== null) levels.push({ label: 'Before training', style: 'dashed', term: 'baseLevel', value: base });
  if (chance !== null) levels.push({ label: 'Chance', style: 'dotted', term: 'chance', value: chance });
  return {
    id: 'reward',
    title: 'Team reward',
    term: 'reward',
    yLabel: 'mean reward per episode',
    yLimits: () => [0, 1],
    digits: 2,
    x: rows.map(({ iteration }) => iteration),
    xEnd: iterations,
    series: [
      { label: 'Training', colour: '--reward', style: 'solid', term: 'trainingReward', values: column(rows, 'reward/mean') },
      { label: 'Held-out, sampled', colour: '--held-out', style: 'points', term: 'heldOut', values: column(rows, 'eval/reward') },
      { label: 'Held-out, greedy', colour: '--held-out', style: 'dashed-points', term: 'greedy', values: column(rows, 'eval/reward_greedy') },
      ...(shared ? [sharedSeries(shared, rows)] : []),
    ],
    levels,
  };
}

function sharedSeries({ x, y }: NonNullable<ChartContext['shared']>, rows: readonly MetricRow[]): ChartSeries {
  const rewards = new Map(x.map((iteration, k) => [iteration, y[k] ?? null]));
  return { label: 'Shared', colour: '--ink-soft', style: 'dashed', values: rows.map(({ iteration }) => rewards.get(iteration) ?? null) };
}

/** The rows, with an empty one for every iteration that they lack. */
function withIterations(rows: readonly MetricRow[], iterations: readonly number[]): MetricRow[] {
  const there = new Set(rows.map(({ iteration }) => iteration));
  return [...rows, ...iterations.filter((iteration) => !there.has(iteration)).map((iteration) => ({ iteration }))].sort((a, b) => a.iteration - b.iteration);
}

/** How far each agent has moved away from the base. */
export function klChart(context: ChartContext): ChartModel {
  return perAgent(context, { id: 'kl', title: 'KL to the base', term: 'refKl', metric: 'ref_kl', yLabel: 'nats per token' });
}

/** How undecided each agent is. */
export function entropyChart(context: ChartContext): ChartModel {
  return perAgent(context, { id: 'entropy', title: 'Entropy', term: 'entropy', metric: 'entropy', yLabel: 'nats per token' });
}

/** How much of the rewards' variance the critic foresees. What lies below −1 is cut: the number says nothing more there. */
export function criticChart({ rows, iterations }: ChartContext): ChartModel {
  const trained = rows.filter(({ iteration }) => iteration > 0);
  return {
    id: 'critic',
    title: 'Critic’s explained variance',
    term: 'explainedVariance',
    yLabel: 'share of variance',
    yLimits: (min) => [Math.max(-1, Math.min(-0.25, min)), 1],
    digits: 2,
    x: trained.map(({ iteration }) => iteration),
    xEnd: iterations,
    series: [
      { label: 'Critic', colour: '--critic', style: 'solid', term: 'critic', values: column(trained, 'critic/explained_variance') },
    ],
    levels: [{ label: 'Foresees nothing', style: 'dotted', value: 0 }],
  };
}

/**
 * Where the axis ends: above all numbers, unless a few lie many times higher than the rest. One surprising token can
 * lift an iteration's mean KL a hundredfold, and an axis up to there would flatten everything else.
 */
function axisTop(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const largest = sorted.at(-1) ?? 0;
  const usual = sorted[Math.floor((sorted.length - 1) * USUAL_SHARE)] ?? 0;
  const top = largest > OUTLIER * usual && sorted.length >= ENOUGH_TO_JUDGE ? 2 * usual : largest;
  return Math.max(SMALLEST_EXTENT, top * HEADROOM);
}

/** An outlier is this many times larger than what 95 of 100 numbers stay below, once there are 20 numbers to tell. */
const USUAL_SHARE = 0.95;
const OUTLIER = 4;
const ENOUGH_TO_JUDGE = 20;

/** Axis of a chart whose numbers are all (nearly) zero, so that noise does not look like a signal. */
const SMALLEST_EXTENT = 0.02;

/** Room above the highest point. */
const HEADROOM = 1.08;

interface PerAgent {
  id: string;
  title: string;
  term: TermName;
  metric: string;
  yLabel: string;
}

function perAgent({ rows, agents, iterations }: ChartContext, { metric, ...chart }: PerAgent): ChartModel {
  const trained = rows.filter(({ iteration }) => iteration > 0);
  const numbers = agents.flatMap((agent) => column(trained, `${agent}/${metric}`)).filter((value) => value !== null);
  const top = axisTop(numbers);
  return {
    ...chart,
    yLimits: () => [0, top],
    pointsAbove: numbers.filter((value) => value > top).length,
    digits: 3,
    x: trained.map(({ iteration }) => iteration),
    xEnd: iterations,
    series: agents.map((agent, index) => ({
      label: agent,
      colour: agentColour(index),
      style: index % 2 === 0 ? 'solid' : 'dashed',
      values: column(trained, `${agent}/${metric}`),
    })),
    levels: [],
  };
}

/** The name of an agent's colour; there are as many as a team may have agents. */
export function agentColour(index: number): `--agent-${number}` {
  return `--agent-${(index % 8) + 1}`;
}

function column(rows: readonly MetricRow[], name: string): (number | null)[] {
  return rows.map((row) => row[name] ?? null);
}
