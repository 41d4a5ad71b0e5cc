/** A sweep's curves as an SVG picture: per arm the mean training reward over its seeds, with the 95 % interval as a band. */
import { mean } from '../marft/arrays.ts';
import { bootstrapMean } from '../experiment/statistics.ts';
import type { SweepResults } from '../experiment/sweep-results.ts';

/** Okabe and Ito (2008): told apart also by the colour-blind. */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#7f7f7f'] as const;
/** Readable on light pages and on dark ones. */
const INK = '#767676';
const WIDTH = 760;
const PLOT = { left: 48, top: 12, width: 470, height: 250 } as const;
const LINE_HEIGHT = 19;
/** Iterations of the moving mean; the band is of the same means. */
const SMOOTHED = 3;

interface Curve {
  arm: string;
  /** By iteration. */
  points: { mean: number; low: number; high: number }[];
}

/** Arms without a finished run are left out; there is a picture even without any. */
export function sweepFigure({ sweep, arms, runs }: SweepResults): string {
  const curves = arms.flatMap(({ arm }): Curve[] => {
    const rewards = runs.flatMap((run) => (run.status === 'done' && run.arm === arm ? [smoothed(run.rewards)] : []));
    const length = Math.min(...rewards.map((one) => one.length));
    if (rewards.length === 0 || length === 0) return [];
    return [{ arm, points: Array.from({ length }, (_, k) => bootstrapMean(rewards.map((one) => one[k] ?? 0), k) ?? { mean: 0, low: 0, high: 0 }) }];
  });
  const longest = Math.max(2, ...curves.map(({ points }) => points.length));
  const x = (iteration: number): string => (PLOT.left + ((iteration - 1) / (longest - 1)) * PLOT.width).toFixed(1);
  const y = (reward: number): string => (PLOT.top + (1 - reward) * PLOT.height).toFixed(1);
  const height = Math.max(PLOT.top + PLOT.height + 44, PLOT.top + arms.length * LINE_HEIGHT + 20);
  const drawn = curves.map(({ points }, index) => {
    const colour = COLOURS[index % COLOURS.length] ?? INK;
    const upper = points.map(({ high }, k) => `${x(k + 1)},${y(high)}`);
    const lower = points.map(({ low }, k) => `${x(k + 1)},${y(low)}`).reverse();
    const line = points.map((point, k) => `${x(k + 1)},${y(point.mean)}`);
    const dashes = index >= COLOURS.length ? ' stroke-dasharray="5 3"' : '';
    return `<polygon points="${[...upper, ...lower].join(' ')}" fill="${colour}" opacity="0.13"/><polyline points="${line.join(' ')}" fill="none" stroke="${colour}" stroke-width="2"${dashes}/>`;
  });
  const legend = curves.map(({ arm }, index) => {
    const top = PLOT.top + 10 + index * LINE_HEIGHT;
    const left = PLOT.left + PLOT.width + 24;
    const colour = COLOURS[index % COLOURS.length] ?? INK;
    const dashes = index >= COLOURS.length ? ' stroke-dasharray="5 3"' : '';
    return `<line x1="${left}" x2="${left + 22}" y1="${top}" y2="${top}" stroke="${colour}" stroke-width="3"${dashes}/><text x="${left + 29}" y="${top + 4}">${escaped(arm)}</text>`;
  });
  const rows = [0, 0.25, 0.5, 0.75, 1].map((reward) => `<line x1="${PLOT.left}" x2="${PLOT.left + PLOT.width}" y1="${y(reward)}" y2="${y(reward)}" stroke="${INK}" opacity="0.3"/><text x="${PLOT.left - 8}" y="${Number(y(reward)) + 4}" text-anchor="end">${reward}</text>`);
  const ticks = [...new Set([1, Math.round((longest + 1) / 2), longest])].map((iteration) => `<text x="${x(iteration)}" y="${PLOT.top + PLOT.height + 18}" text-anchor="middle">${iteration}</text>`);
  const axis = `<text x="${PLOT.left + PLOT.width / 2}" y="${PLOT.top + PLOT.height + 36}" text-anchor="middle">iteration (training reward, mean of ${SMOOTHED} iterations)</text>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="system-ui, sans-serif" font-size="12.5" fill="${INK}" role="img" aria-label="${escaped(`Training reward by iteration, ${sweep.name}`)}">`,
    ...rows,
    ...ticks,
    axis,
    ...drawn,
    ...legend,
    '</svg>\n',
  ].join('\n');
}

/** The mean of each value and those just before it. */
function smoothed(values: readonly number[]): number[] {
  return values.map((_, k) => mean(values.slice(Math.max(0, k + 1 - SMOOTHED), k + 1)));
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
