/** The comparison in words and rows, as page, report and CSV all write it. */
import type { Comparison, Group, GroupResult, Quantity } from '../../experiment/compare-runs.ts';
import type { Interval, PairedComparison } from '../../experiment/statistics.ts';
import { written } from '../runs/run-differences.ts';

export const QUANTITIES: readonly Quantity[] = ['final', 'auc', 'best'];

export function quantityTitle(quantity: Quantity, { finalKind, commonIterations }: Pick<Comparison, 'finalKind' | 'commonIterations'>): string {
  if (quantity === 'final') return finalKind === 'held-out' ? 'Final, held-out' : 'Final, last five iterations';
  return quantity === 'auc' ? `Area up to iteration ${commonIterations}` : 'Best five in a row';
}

/** Mean and 95 % interval; one seed has no interval. */
export function intervalText(interval: Interval | null, seeds: number): string {
  if (interval === null) return '–';
  const mean = interval.mean.toFixed(3);
  return seeds < 2 ? `${mean} (one seed)` : `${mean} [${interval.low.toFixed(3)}, ${interval.high.toFixed(3)}]`;
}

/** How sure it is that the first is better, and by how much. */
export function pairText(pair: PairedComparison | null | undefined): string {
  if (pair === null || pair === undefined) return 'no seed in common';
  const by = `${pair.mean > 0 ? '+' : ''}${pair.mean.toFixed(3)}`;
  if (pair.pairs < 2) return `${by} (one pair says nothing of chance)`;
  return `${percent(pair.probability)}, ${by} [${pair.low.toFixed(3)}, ${pair.high.toFixed(3)}], ${pair.pairs} pairs`;
}

/** In words: what the numbers mean for somebody who does not know the method. */
export function verdict(a: GroupResult, b: GroupResult, pair: PairedComparison | null | undefined): string {
  if (pair === null || pair === undefined) return `“${a.label}” and “${b.label}” have no seed in common, so they cannot be compared by pairs.`;
  if (pair.pairs < 2) return `One pair of runs does not tell a better setting from luck: give each more seeds.`;
  const [better, worse, sure] = pair.probability >= 0.5 ? [a, b, pair.probability] : [b, a, 1 - pair.probability];
  if (sure < SURE) return `It is not clear which of “${a.label}” and “${b.label}” is better (${percent(sure)} for “${better.label}”).`;
  return `“${better.label}” is better than “${worse.label}” with a probability of ${percent(sure)}, judged by ${pair.pairs} pairs of equal seeds.`;
}

/** From here on one is called better. */
const SURE = 0.95;

export function runsText({ seeds, collapsed, failed, unfinished }: GroupResult): string {
  const rest = [[collapsed, 'collapsed'], [failed, 'failed'], [unfinished, 'unfinished']].filter(([count]) => count !== 0).map(([count, what]) => `${count} ${what}`);
  return [`${seeds.length} ${seeds.length === 1 ? 'seed' : 'seeds'}`, ...rest].join(', ');
}

function percent(share: number): string {
  return share > 0.995 && share < 1 ? '> 99 %' : `${Math.round(share * 100)} %`;
}

/** A row a group. */
export function tableCsv(result: Comparison, groups: readonly Group[], reference: number): string {
  const header = ['group', 'seeds', 'collapsed', 'failed', 'unfinished', ...QUANTITIES.flatMap((one) => [`${one}_mean`, `${one}_low`, `${one}_high`, `${one}_probability_better_than_reference`]), 'reference'];
  const rows = result.groups.map((group, index) => [
    group.label, group.seeds.length, group.collapsed, group.failed, group.unfinished,
    ...QUANTITIES.flatMap((one) => [group[one]?.mean ?? '', group[one]?.low ?? '', group[one]?.high ?? '', result.pairs[index]?.[reference]?.[one]?.probability ?? '']),
    groups[reference]?.label ?? '',
  ]);
  return csv([header, ...rows]);
}

/** A row an iteration of a run. */
export function curvesCsv({ groups }: Comparison): string {
  const rows = groups.flatMap(({ label, curves }) => curves.flatMap(({ seed, rewards }) => rewards.map((reward, k) => [label, seed, k + 1, reward])));
  return csv([['group', 'seed', 'iteration', 'reward'], ...rows]);
}

/** After RFC 4180. */
function csv(rows: readonly (readonly (string | number)[])[]): string {
  return rows.map((row) => `${row.map((cell) => cellText(cell)).join(',')}\r\n`).join('');
}

function cellText(cell: string | number): string {
  if (typeof cell === 'number') return String(cell);
  // A spreadsheet would take it for a formula.
  const text = /^[=+\-@\t]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function settingText(value: unknown): string {
  return written(value) || '–';
}
