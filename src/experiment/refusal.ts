/** Turns what a schema refuses into a sentence that names the field, what it must be and what it is. */
import type { z } from 'zod';
import { fieldsAt, nearestNames } from './schema-tree.ts';

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

export interface Refusal {
  message: string;
  hint: string;
}

/** Keys that reach an object's prototype when they are assigned. */
export const FORBIDDEN_KEYS: readonly string[] = ['__proto__', 'constructor', 'prototype'];

/** Experiments are about six levels deep; what is deeper than this is refused before recursion becomes a danger. */
const MAX_DEPTH = 32;

/** The path of the first forbidden key anywhere in the document, or null. */
export function findForbiddenKey(value: unknown, path: Path = []): string | null {
  if (typeof value !== 'object' || value === null) return null;
  if (path.length > MAX_DEPTH) return showPath(path.slice(0, 3)) + '…';
  for (const key of Object.keys(value)) {
    if (FORBIDDEN_KEYS.includes(key)) return showPath([...path, key]);
    const found = findForbiddenKey(Reflect.get(value, key), [...path, key]);
    if (found !== null) return found;
  }
  return null;
}

/** The first of a schema's issues with `document` as a sentence; `whole` is what the document is called. */
export function describeIssue(issues: readonly Issue[], document: unknown, schema: z.ZodType, whole = 'The experiment'): Refusal {
  const [first] = issues;
  if (first === undefined) throw new RangeError('describeIssue: there is no issue');
  const issue = narrowest(first);
  const { path } = issue;
  const value = valueAt(document, path);
  const subject = path.length === 0 ? whole : showPath(path);

  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys;
    const fields = fieldsAt(schema, path);
    const near = nearestNames(key, fields);
    return {
      message: `${subject} has no field "${key}".`,
      hint: near.length > 0 ? `Did you mean ${near.map(quote).join(' or ')}?` : fieldsHint(fields),
    };
  }
  if (issue.code === 'invalid_key') {
    return { message: `${subject} is not a usable name of an option.`, hint: 'Names are letters and digits, at most 40.' };
  }
  const expected = expectation(issue);
  if (value === undefined) return { message: `${subject} is missing; it must be ${expected}.`, hint: 'Add it.' };
  return { message: `${subject} must be ${expected}, but it is ${show(value)}.`, hint: 'Correct this value.' };
}

/** Path in the notation of `--set`: `team.agents.0.name`. */
export function showPath(path: Path): string {
  return path.map(String).join('.');
}

/** A value as JSON, cut where it grows long. */
export function show(value: unknown): string {
  if (typeof value === 'number') return String(value);
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

/**
 * Of a union's branches, the complaint of the one that the value came closest to: where one got inside the value, its
 * first issue there; the union's own otherwise.
 */
function narrowest(issue: Issue): Issue {
  if (issue.code !== 'invalid_union') return issue;
  const inside = issue.errors.flatMap(([first]) => (first !== undefined && reachesInside(first) ? [first] : []));
  const [closest] = inside;
  if (closest === undefined) return issue;
  return narrowest({ ...closest, path: [...issue.path, ...closest.path] });
}

function reachesInside(issue: Issue): boolean {
  return issue.path.length > 0 || issue.code === 'too_big' || issue.code === 'too_small';
}

/** What the field must be, as the end of "must be …". */
function expectation(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return TYPE_WORDS[issue.expected] ?? issue.expected;
    case 'invalid_value':
      return issue.values.length === 1 ? show(issue.values[0]) : `one of ${issue.values.map(show).join(', ')}`;
    case 'too_small':
      return size(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum);
    case 'too_big':
      return size(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum);
    case 'invalid_format':
      // The schemas give every pattern its own words, which read on from "must be".
      return issue.message;
    case 'invalid_union':
      return issue.errors.flatMap(([first]) => (first === undefined ? [] : [expectation(first)])).join(' or ');
    default:
      return issue.message;
  }
}

function size(origin: string, comparison: string, bound: number | bigint): string {
  if (origin === 'string') return `${comparison} ${bound} ${bound === 1 ? 'character' : 'characters'} long`;
  if (origin === 'array') return `a list of ${comparison} ${bound} ${bound === 1 ? 'entry' : 'entries'}`;
  return `${comparison} ${bound}`;
}

const TYPE_WORDS: Record<string, string> = {
  int: 'a whole number',
  number: 'a number',
  string: 'a text',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

function valueAt(document: unknown, path: Path): unknown {
  let value = document;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

function fieldsHint(fields: readonly string[]): string {
  return fields.length > 0 ? `It may have: ${fields.join(', ')}.` : 'Remove it.';
}

function quote(name: string): string {
  return `"${name}"`;
}
