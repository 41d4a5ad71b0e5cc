/** Where two experiments differ. */
import type { Experiment } from './schema.ts';

/** The first field that is not the same, by its path, with both values as JSON; null when all are. */
export function firstDifference(a: Experiment, b: Experiment): { path: string; values: [string, string] } | null {
  return difference(a, b, '');
}

function difference(a: unknown, b: unknown, path: string): { path: string; values: [string, string] } | null {
  if (!isObject(a) || !isObject(b)) {
    const values: [string, string] = [JSON.stringify(a) ?? 'nothing', JSON.stringify(b) ?? 'nothing'];
    return values[0] === values[1] ? null : { path, values };
  }
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const found = difference(a[key], b[key], path === '' ? key : `${path}.${key}`);
    if (found) return found;
  }
  return null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
