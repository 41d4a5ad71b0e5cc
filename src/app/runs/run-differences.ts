/** What sets a run apart from the one before it, most important first. */
import { differenceBetween } from '../../experiment/difference.ts';
import type { Experiment } from '../../experiment/schema.ts';

export interface RunDifference {
  path: string;
  /** As people read them; empty where there is no such field. */
  before: string;
  after: string;
}

/** Paths that begin so, in the order of what changes most about a run; what begins with none of them comes before the seed. */
const IMPORTANCE = ['task', 'model', 'algorithm.method', 'team.dependency', 'algorithm.learningRate', 'team', 'algorithm', 'schedule.episodes', 'schedule.iterations'];
const LEAST = ['schedule', 'seed'];
const LONGEST = 40;

/** All fields that differ, but for the name. */
export function runDifferences(before: Experiment, after: Experiment): RunDifference[] {
  const { set, dropped } = differenceBetween({ ...before, name: '' }, { ...after, name: '' });
  const paths = [...new Set([...Object.keys(set), ...dropped])];
  return paths
    .toSorted((a, b) => rank(a) - rank(b) || a.localeCompare(b))
    .map((path) => ({ path, before: written(valueAt(before, path)), after: written(valueAt(after, path)) }));
}

/** A value in a few characters; empty for none. */
export function written(value: unknown): string {
  if (value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}

function rank(path: string): number {
  const within = (start: string): boolean => path === start || path.startsWith(`${start}.`);
  const least = LEAST.findIndex(within);
  const place = IMPORTANCE.findIndex(within);
  if (place >= 0) return place;
  return least < 0 ? IMPORTANCE.length : IMPORTANCE.length + 1 + least;
}

function valueAt(document: unknown, path: string): unknown {
  let value = document;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}
