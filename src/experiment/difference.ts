/** What has to be changed in one document to make another of it, by path. */
import { canonicalJson } from './canonical.ts';
import { showPath } from './refusal.ts';

export interface Difference {
  /** New values by path, in the notation of `--set`. */
  set: Record<string, unknown>;
  /** Paths to be removed. */
  dropped: string[];
}

/** From `base` to `document`, both plain JSON whose keys have no dots. Lists of equal length are compared entry by entry. */
export function differenceBetween(base: unknown, document: unknown, path: readonly string[] = []): Difference {
  const [before, after] = [entriesOf(base), entriesOf(document)];
  const alike = before !== null && after !== null && Array.isArray(base) === Array.isArray(document);
  if (!alike || (Array.isArray(base) && before.size !== after.size)) {
    return { set: canonicalJson(base) === canonicalJson(document) ? {} : { [showPath(path)]: document }, dropped: [] };
  }
  const whole: Difference = { set: {}, dropped: [...before.keys()].filter((key) => !after.has(key)).map((key) => showPath([...path, key])) };
  for (const [key, value] of after) {
    const inside = [...path, key];
    const { set, dropped } = before.has(key) ? differenceBetween(before.get(key), value, inside) : { set: { [showPath(inside)]: value }, dropped: [] };
    Object.assign(whole.set, set);
    whole.dropped.push(...dropped);
  }
  return whole;
}

/** The base, which is changed, with the differences made; null where a path leads nowhere. */
export function applyDifference(base: unknown, { set, dropped }: Difference): unknown {
  for (const [path, value] of Object.entries(set)) {
    const found = containerOf(base, path);
    if (found === null || (Array.isArray(found.container) && !(/^\d+$/.test(found.key) && Object.hasOwn(found.container, found.key)))) return null;
    Object.defineProperty(found.container, found.key, { value, enumerable: true, configurable: true, writable: true });
  }
  for (const path of dropped) {
    const found = containerOf(base, path);
    if (found === null || Array.isArray(found.container)) return null;
    Reflect.deleteProperty(found.container, found.key);
  }
  return base;
}

/** The object or list that holds the path's last key, reached by keys of its own alone. */
function containerOf(document: unknown, path: string): { container: object; key: string } | null {
  const keys = path.split('.');
  const key = keys.pop() ?? '';
  let container = document;
  for (const one of keys) {
    if (typeof container !== 'object' || container === null || !Object.hasOwn(container, one)) return null;
    container = Reflect.get(container, one);
  }
  return typeof container === 'object' && container !== null ? { container, key } : null;
}

function entriesOf(value: unknown): Map<string, unknown> | null {
  return typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : null;
}
