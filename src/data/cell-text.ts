import type { Row } from '../tasks/services.ts';

/** A cell as text: what is text as it is, nothing as nothing, and what has parts as JSON. */
export function cellText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '' : value.toISOString();
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part)) ?? '';
}

/** These columns of a record; one that it does not have is empty. */
export function rowOf(record: Readonly<Record<string, unknown>>, columns: readonly string[]): Row {
  // `fromEntries` makes a column called `__proto__` a column like any other.
  return Object.fromEntries(columns.map((column) => [column, Object.hasOwn(record, column) ? cellText(record[column]) : '']));
}
