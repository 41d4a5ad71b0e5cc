/** Reward curves of groups as a drawing: the mean over seeds, its 95 % interval as a band, and every seed's own curve where wanted. */
import type { GroupResult } from '../../experiment/compare-runs.ts';
import { node, type SvgNode } from './svg.ts';

export interface Palette {
  ink: string;
  soft: string;
  grid: string;
  /** One a group, in turn. */
  groups: readonly string[];
}

/** The page's own colours, which follow its theme. */
export const PAGE_COLOURS: Palette = {
  ink: 'var(--ink)',
  soft: 'var(--ink-soft)',
  grid: 'var(--grid)',
  groups: Array.from({ length: 8 }, (_, k) => `var(--agent-${k + 1})`),
};

/** The same on white, for files. */
export const PRINT_COLOURS: Palette = {
  ink: '#1c1b19',
  soft: '#57544d',
  grid: '#e7e4db',
  groups: ['#0b67a8', '#b84e00', '#7b3f98', '#4d6b12', '#a0265e', '#33528f', '#6b5a00', '#4c4c4c'],
};

/** Dashes tell groups apart that colours do not. */
const DASHES = ['', '7 4', '2 4', '9 3 2 3'];
const MARGIN = { left: 44, right: 12, top: 10, bottom: 36 };
const FONT = { 'font-family': 'system-ui, sans-serif', 'font-size': 12 };

export interface CurveChart {
  groups: readonly GroupResult[];
  everySeed: boolean;
  /** In px. */
  width: number;
  height: number;
  palette: Palette;
  /** With names below, where nothing else says them. */
  legend?: boolean;
}

/** Stroke of the group at an index. */
export function groupLine(index: number, { groups }: Palette): { stroke: string; 'stroke-dasharray': string } {
  return { stroke: groups[index % groups.length] ?? '', 'stroke-dasharray': DASHES[Math.floor(index / groups.length) % DASHES.length] ?? '' };
}

export function curveChart(chart: CurveChart): SvgNode {
  const { groups, everySeed, width, height, palette, legend = false } = chart;
  const rows = legend ? groups.length : 0;
  const whole = height + rows * LEGEND_ROW;
  const longest = Math.max(2, ...groups.flatMap(({ curves }) => curves.map(({ rewards }) => rewards.length)));
  const x = (iteration: number): number => MARGIN.left + ((iteration - 1) / (longest - 1)) * (width - MARGIN.left - MARGIN.right);
  const y = (reward: number): number => height - MARGIN.bottom - Math.min(1, Math.max(0, reward)) * (height - MARGIN.top - MARGIN.bottom);
  const line = (points: readonly (readonly [number, number])[]): string => points.map(([a, b], k) => `${k === 0 ? 'M' : 'L'}${place(x(a))} ${place(y(b))}`).join('');
  const bands = groups.flatMap(({ band, seeds }, index) => {
    if (seeds.length < 2 || band.length < 2) return [];
    const upper = band.map(({ iteration, interval }) => [iteration, interval.high] as const);
    const lower = band.map(({ iteration, interval }) => [iteration, interval.low] as const).reverse();
    return [node('path', { d: `${line([...upper, ...lower])}Z`, fill: groupLine(index, palette).stroke, 'fill-opacity': 0.16 })];
  });
  const singles = groups.flatMap(({ curves, seeds }, index) =>
    everySeed && seeds.length > 1
      ? curves.map(({ rewards }) => node('path', { d: line(rewards.map((reward, k) => [k + 1, reward] as const)), fill: 'none', 'stroke-width': 1, 'stroke-opacity': 0.5, ...groupLine(index, palette) }))
      : [],
  );
  const means = groups.flatMap(({ band }, index) => {
    const points = band.map(({ iteration, interval }) => [iteration, interval.mean] as const);
    const [only] = points;
    if (only === undefined) return [];
    if (points.length === 1) return [node('circle', { cx: place(x(only[0])), cy: place(y(only[1])), r: 4, fill: groupLine(index, palette).stroke })];
    return [node('path', { d: line(points), fill: 'none', 'stroke-width': 2.4, 'stroke-linejoin': 'round', ...groupLine(index, palette) })];
  });
  return node(
    'svg',
    { viewBox: `0 0 ${width} ${whole}`, width, height: whole, role: 'img', 'aria-label': summary(groups) },
    ...axes(chart, longest, x, y),
    ...bands,
    ...singles,
    ...means,
    ...(legend ? groups.map(({ label }, index) => legendRow(label, index, height, palette)) : []),
  );
}

const LEGEND_ROW = 20;

function legendRow(label: string, index: number, height: number, palette: Palette): SvgNode {
  const y = height + index * LEGEND_ROW + 10;
  return node('g', {}, node('line', { x1: MARGIN.left, x2: MARGIN.left + 28, y1: y, y2: y, 'stroke-width': 2.4, ...groupLine(index, palette) }), node('text', { x: MARGIN.left + 36, y: y + 4, fill: palette.ink, ...FONT }, label));
}

function axes({ width, height, palette }: CurveChart, longest: number, x: (iteration: number) => number, y: (reward: number) => number): SvgNode[] {
  const text = (attributes: SvgNode['attributes'], words: string): SvgNode => node('text', { fill: palette.soft, ...FONT, ...attributes }, words);
  const levels = [0, 0.25, 0.5, 0.75, 1].flatMap((level) => [
    node('line', { x1: MARGIN.left, x2: width - MARGIN.right, y1: place(y(level)), y2: place(y(level)), stroke: palette.grid }),
    text({ x: MARGIN.left - 8, y: place(y(level) + 4), 'text-anchor': 'end' }, String(level)),
  ]);
  const step = niceStep(longest, Math.max(2, Math.floor(width / 90)));
  const marks = Array.from({ length: Math.floor(longest / step) + 1 }, (_, k) => k * step).filter((mark) => mark >= 1);
  return [
    ...levels,
    ...marks.map((mark) => text({ x: place(x(mark)), y: height - MARGIN.bottom + 16, 'text-anchor': 'middle' }, String(mark))),
    text({ x: (width + MARGIN.left) / 2, y: height - 4, 'text-anchor': 'middle' }, 'iteration (mean training reward per episode above)'),
  ];
}

/** 1, 2 or 5 times a power of ten, so that there are at most so many steps. */
function niceStep(length: number, most: number): number {
  for (let power = 1; ; power *= 10) {
    const step = [1, 2, 5].map((one) => one * power).find((one) => length / one <= most);
    if (step !== undefined) return step;
  }
}

function place(value: number): number {
  return Math.round(value * 10) / 10;
}

function summary(groups: readonly GroupResult[]): string {
  const ends = groups.map(({ label, band }) => `${label} ${band.at(-1)?.interval.mean.toFixed(2) ?? 'without a curve'}`);
  return `Reward by iteration, mean over seeds; at the end: ${ends.join(', ')}.`;
}
