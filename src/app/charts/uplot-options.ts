/** uPlot's settings for a chart of this page. Colours are read at every drawing, so a change of theme needs a redraw only. */
import type uPlot from 'uplot';
import type { ChartLevel, ChartModel, ChartSeries } from '../logic/chart-models.ts';

export interface ChartHooks {
  /** The row under the cursor, or null. */
  onHover: (index: number | null) => void;
  /** Limits of the y axis for the data of the moment. */
  yLimits: ChartModel['yLimits'];
}

/** Cursors of all charts move together. */
const SYNC_KEY = 'iterations';

/** Steps of the x axis: whole iterations only. */
const ITERATION_STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 50_000];

export function uplotOptions(model: ChartModel, width: number, height: number, { onHover, yLimits }: ChartHooks): uPlot.Options {
  const scale = pageScale();
  const axis = (label: string): uPlot.Axis => ({
    label,
    labelSize: 20 * scale,
    labelFont: cssFont(12),
    font: cssFont(12),
    stroke: () => cssColour('--ink-soft'),
    grid: { stroke: () => cssColour('--grid'), width: 1 },
    ticks: { stroke: () => cssColour('--grid'), width: 1, size: 5 },
  });
  return {
    width,
    height,
    padding: [10, 14, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 9 }, sync: { key: SYNC_KEY, setSeries: false } },
    scales: {
      x: { time: false, range: (_, __, max) => [0, Math.max(model.xEnd, max ?? 0, 1)] },
      y: { range: (_, min, max) => yLimits(min ?? 0, max ?? 0) },
    },
    axes: [
      { ...axis('iteration'), size: 32 * scale, incrs: ITERATION_STEPS, space: 44 * scale },
      { ...axis(model.yLabel), size: 48 * scale, space: 34 * scale },
    ],
    series: [{}, ...model.series.map(uplotSeries)],
    hooks: { setCursor: [(chart) => onHover(chart.cursor.idx ?? null)], drawAxes: [(chart) => drawLevels(chart, model.levels)] },
  };
}

/** The model's numbers as uPlot takes them. */
export function uplotData(model: ChartModel): uPlot.AlignedData {
  return [model.x, ...model.series.map(({ values }) => values)];
}

/** What of a model needs a new uPlot when it changes; the rest is data. */
export function structureKey(model: ChartModel): string {
  return JSON.stringify([model.id, model.xEnd, model.levels, model.series.map(({ label, colour, style }) => [label, colour, style])]);
}

function uplotSeries({ label, colour, style }: ChartSeries): uPlot.Series {
  const pointed = style === 'points' || style === 'dashed-points';
  const dash = DASHES[style];
  return {
    label,
    stroke: () => cssColour(colour),
    width: 2.4 * pageScale(),
    spanGaps: true,
    points: { show: (chart, index) => pointed || isLonePoint(chart.data[index]), size: 8 * pageScale(), fill: () => cssColour(style === 'dashed-points' ? '--surface' : colour), width: 2 * pageScale() },
    ...(dash ? { dash } : {}),
  };
}

/** Dashes in px; the legend's samples use the same. */
export const DASHES: Record<ChartSeries['style'], number[] | null> = {
  solid: null,
  points: null,
  dashed: [7, 5],
  'dashed-points': [7, 5],
  dotted: [2, 4],
};

/** A line needs two points: a single one is drawn as such. */
function isLonePoint(values: uPlot.AlignedData[number] | undefined): boolean {
  let found = 0;
  for (const value of values ?? []) {
    if (value !== null && value !== undefined && ++found > 1) return false;
  }
  return found === 1;
}

/** Lines across the whole width, behind the series. */
function drawLevels({ ctx, bbox, valToPos }: uPlot, levels: readonly ChartLevel[]): void {
  const scale = devicePixelRatio * pageScale();
  ctx.save();
  ctx.strokeStyle = cssColour('--reference');
  ctx.lineWidth = 1.8 * scale;
  for (const { value, style } of levels) {
    const y = valToPos(value, 'y', true);
    ctx.setLineDash((DASHES[style] ?? []).map((length) => length * scale));
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
  }
  ctx.restore();
}

let probe: HTMLElement | null = null;

/** A colour of tokens.css as the canvas can take it: `light-dark()` resolved. */
function cssColour(name: string): string {
  if (!probe) {
    probe = document.createElement('span');
    probe.hidden = true;
    document.body.append(probe);
  }
  probe.style.color = `var(${name})`;
  return getComputedStyle(probe).color;
}

function cssFont(px: number): string {
  return `${Math.round(px * pageScale())}px ${getComputedStyle(document.body).fontFamily}`;
}

/** How much larger than usual the page's type is; lines, points and axes grow with it. */
function pageScale(): number {
  return parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
}
