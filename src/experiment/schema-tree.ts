/** What a schema knows about names: which fields it has where, and which of them a misspelt one was meant to be. */
import { z } from 'zod';

/** The names of the fields that an object at `path` may have, in the schema's order; empty where any name goes. */
export function fieldsAt(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  return branches(schemasAt(schema, path)).flatMap((one) => (one instanceof z.ZodObject ? Object.keys(one.shape) : []));
}

/** The schemas that a value at `path` may have to satisfy; none when there is no such path. */
export function schemasAt(schema: z.ZodType, path: readonly PropertyKey[]): z.ZodType[] {
  let here: z.ZodType[] = [schema];
  for (const key of path) here = branches(here).flatMap((one) => childOf(one, key));
  return branches(here);
}

function childOf(schema: z.ZodType, key: PropertyKey): z.ZodType[] {
  if (schema instanceof z.ZodObject) {
    const child: unknown = typeof key === 'string' && Object.hasOwn(schema.shape, key) ? schema.shape[key] : undefined;
    return child instanceof z.ZodType ? [child] : [];
  }
  if (schema instanceof z.ZodArray) return asSchemas(schema.element);
  if (schema instanceof z.ZodRecord) return asSchemas(schema.valueType);
  return [];
}

/** The schemas beneath optionals, defaults, nullables and unions. */
function branches(schemas: readonly z.ZodType[]): z.ZodType[] {
  return schemas.flatMap((schema) => {
    if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodNullable) {
      return branches(asSchemas(schema.unwrap()));
    }
    if (schema instanceof z.ZodUnion) return branches(schema.options.flatMap(asSchemas));
    return [schema];
  });
}

function asSchemas(schema: unknown): z.ZodType[] {
  return schema instanceof z.ZodType ? [schema] : [];
}

/** Names are taken for misspellings of each other up to this share of letters changed. */
const TYPO_SHARE = 0.4;

/** Beside a candidate that is nearly right, others count only up to this many times as many changes. */
const RUNNER_UP_FACTOR = 3;

/** Up to three candidates that `name` may be a misspelling of, the nearest first. */
export function nearestNames(name: string, candidates: readonly string[]): string[] {
  const near = candidates
    .map((candidate) => ({ candidate, distance: editDistance(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => distance <= TYPO_SHARE * Math.max(name.length, candidate.length))
    .sort((a, b) => a.distance - b.distance);
  const best = near[0]?.distance ?? 0;
  return near.filter(({ distance }) => distance <= RUNNER_UP_FACTOR * best).slice(0, 3).map(({ candidate }) => candidate);
}

/** Levenshtein's distance: insertions, deletions and substitutions of one character. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(substituted, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    previous = row;
  }
  return previous[b.length] ?? 0;
}
