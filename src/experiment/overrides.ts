/** `--set path=value`: changes one field of an experiment, checked by the schema as if it had been written that way. */
import { z } from 'zod';
import { TEAM_TEMPLATES, teamTemplate } from '../marft/templates.ts';
import { PlaygroundError } from '../runtime/errors.ts';
import { FORBIDDEN_KEYS, show, showPath } from './refusal.ts';
import { nearestNames, schemasAt } from './schema-tree.ts';
import { experimentSchema, parseExperiment, type Experiment } from './schema.ts';

/** A changed copy. Throws a PlaygroundError when the path does not exist or the value is refused. */
export function applyOverride(experiment: Experiment, assignment: string): Experiment {
  return applyOverrides(experiment, [assignment]);
}

/**
 * A copy with every assignment made in order. The whole is checked once at the end, so that several may belong together
 * (a third agent and the matrix that goes with it).
 */
export function applyOverrides(experiment: Experiment, assignments: readonly string[]): Experiment {
  const document: unknown = structuredClone(experiment);
  for (const assignment of assignments) assign(document, assignment);
  return parseExperiment(document);
}

function assign(document: unknown, assignment: string): void {
  const equals = assignment.indexOf('=');
  if (equals <= 0) {
    throw new PlaygroundError(
      'override-syntax',
      `"${assignment}" does not say what to set to which value.`,
      'Write a path, an equals sign and a value, for example algorithm.clipLow=0.1.',
    );
  }
  const path = assignment.slice(0, equals).split('.');
  refuseForbidden(path);
  const schemas = schemasAt(experimentSchema, path);
  if (schemas.length === 0) throw unknownPath(path, document);

  const key = path.at(-1) ?? '';
  const parent = containerOf(document, path);
  const given = readValue(assignment.slice(equals + 1), schemas);
  const value = assignment.startsWith('team=') ? namedTeam(given) : given;
  if (Array.isArray(parent)) parent[indexIn(parent, key, path)] = value;
  else Object.defineProperty(parent, key, { value, enumerable: true, configurable: true, writable: true });
}

/** `team=trio`: a template's name stands for its team; anything else is left to the schema. */
function namedTeam(value: unknown): unknown {
  const name = TEAM_TEMPLATES.find((template) => template === value);
  return name === undefined ? value : teamTemplate(name);
}

/** JSON where it is JSON; a bare string otherwise, and also where nothing but a text can stand. */
function readValue(text: string, schemas: readonly z.ZodType[]): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  const onlyText = schemas.every((schema) => schema instanceof z.ZodString || schema instanceof z.ZodEnum);
  return onlyText && typeof value !== 'string' ? text : value;
}

/** The object or list that holds the last key of the path. */
function containerOf(document: unknown, path: readonly string[]): object {
  let value = document;
  for (const [depth, key] of path.slice(0, -1).entries()) {
    if (typeof value !== 'object' || value === null) throw notAContainer(value, path.slice(0, depth));
    const name = Array.isArray(value) ? indexIn(value, key, path.slice(0, depth + 1)) : key;
    value = Reflect.get(value, name);
  }
  if (typeof value !== 'object' || value === null) throw notAContainer(value, path.slice(0, -1));
  return value;
}

function indexIn(list: readonly unknown[], key: string, path: readonly string[]): number {
  const index = /^\d+$/.test(key) ? Number(key) : -1;
  if (index >= 0 && index < list.length) return index;
  throw new PlaygroundError(
    'override-path',
    `There is no ${showPath(path)}: ${showPath(path.slice(0, -1))} has ${list.length} ${list.length === 1 ? 'entry' : 'entries'}, numbered from 0.`,
    'Use one of these numbers, or set the whole list.',
  );
}

function notAContainer(value: unknown, path: readonly string[]): PlaygroundError {
  return new PlaygroundError(
    'override-path',
    `${showPath(path)} is ${show(value)}, so nothing inside it can be set.`,
    `Set ${showPath(path)} as a whole.`,
  );
}

function refuseForbidden(path: readonly string[]): void {
  const forbidden = path.find((key) => FORBIDDEN_KEYS.includes(key));
  if (forbidden === undefined) return;
  throw new PlaygroundError('override-path', `"${forbidden}" cannot be part of a path.`, 'Name a field of the experiment.');
}

function unknownPath(path: readonly string[], document: unknown): PlaygroundError {
  const wanted = showPath(path);
  const known = leafPaths(document, []);
  const last = path.at(-1) ?? '';
  // A right name in the wrong place (`iterations`) is as likely as a misspelt one (`schedule.iteration`).
  const misplaced = known.filter((candidate) => candidate.split('.').at(-1) === last);
  const near = [...new Set([...misplaced, ...nearestNames(wanted, known)])].slice(0, 3);
  return new PlaygroundError(
    'override-path',
    `An experiment has no field ${wanted}.`,
    near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'The command "presets --json" prints an experiment with every field.',
  );
}

/** Every path of the document that can be set, containers included. */
function leafPaths(value: unknown, path: readonly string[]): string[] {
  if (typeof value !== 'object' || value === null) return [showPath(path)];
  const below = Object.keys(value).flatMap((key) => leafPaths(Reflect.get(value, key), [...path, key]));
  return path.length === 0 ? below : [showPath(path), ...below];
}
