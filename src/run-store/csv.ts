/** Metrics as a table for spreadsheets: CSV after RFC 4180. */
import type { MetricRow } from '../marft/records.ts';

/** A line of names, `iteration` first, and a line an iteration; what a row lacks is empty. Ends with a line break. */
export function metricsCsv(rows: readonly MetricRow[]): string {
  const names = ['iteration', ...new Set(rows.flatMap((row) => Object.keys(row).filter((name) => name !== 'iteration')))];
  const lines = [names.map(quoted).join(','), ...rows.map((row) => names.map((name) => row[name] ?? '').join(','))];
  return lines.map((line) => `${line}\r\n`).join('');
}

/** Names of metrics hold what their task calls a reward's parts, which may be anything. */
function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
