/** A sweep's results as a table for the terminal. */
import type { Interval } from '../experiment/statistics.ts';
import type { ArmResult, SweepResults } from '../experiment/sweep-results.ts';

const COLUMNS: readonly { title: string; cell: (arm: ArmResult) => string }[] = [
  { title: 'arm', cell: ({ arm }) => arm },
  { title: 'runs', cell: ({ done, missing }) => `${done}${missing > 0 ? ` of ${done + missing}` : ''}` },
  { title: 'rate', cell: ({ learningRate }) => (learningRate === null ? '–' : String(learningRate)) },
  { title: 'final, sampled', cell: ({ sampled }) => interval(sampled) },
  { title: 'final, greedy', cell: ({ greedy }) => interval(greedy) },
  { title: 'area', cell: ({ auc }) => interval(auc) },
  { title: 'collapsed', cell: ({ collapsed }) => String(collapsed) },
  { title: 'failed', cell: ({ failed }) => String(failed) },
  { title: 'better than', cell: betterThan },
];

/** Mean and 95 % interval over the seeds, an arm a line. */
export function sweepTable({ sweep, arms }: SweepResults): string {
  const rows = [COLUMNS.map(({ title }) => title), ...arms.map((arm) => COLUMNS.map(({ cell }) => cell(arm)))];
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ').trimEnd());
  const words = [sweep.claim === '' ? '' : `Claimed: ${sweep.claim}\n`, sweep.question === '' ? '' : `Compared: ${sweep.question}\n`].join('');
  return `${sweep.name}\n${words}${lines.join('\n')}\n`;
}

function interval(value: Interval | null): string {
  return value === null ? '–' : `${value.mean.toFixed(3)} [${value.low.toFixed(3)}, ${value.high.toFixed(3)}]`;
}

function betterThan({ against, difference }: ArmResult): string {
  const compared = difference?.sampled ?? null;
  return against === null || compared === null ? '–' : `${against}: ${Math.round(100 * compared.probability)} %, by ${compared.mean.toFixed(3)}`;
}
