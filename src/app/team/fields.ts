/** What the experiment's schema says of one field: what can stand there and within which bounds. */
import { z } from 'zod';
import { experimentSchema, type Experiment } from '../../experiment/schema.ts';

export type Field = { nullable: boolean } & (
  | { kind: 'number'; whole: boolean; min: number; max: number; /** The lower bound itself is refused. */ above: boolean }
  | { kind: 'boolean' | 'text' | 'group' }
  /** One of these, or any of these. */
  | { kind: 'choice' | 'choices'; options: readonly string[] }
);

/** The field at a path such as `team.agents.0.temperature`. Throws a RangeError where there is none. */
export function fieldAt(path: string): Field {
  const { schema, nullable } = bare(schemaAt(path));
  if (schema instanceof z.ZodNumber) {
    const above = excludesLowerBound(schema);
    return { kind: 'number', whole: schema.isInt, min: schema.minValue ?? -Infinity, max: schema.maxValue ?? Infinity, above, nullable };
  }
  if (schema instanceof z.ZodBoolean) return { kind: 'boolean', nullable };
  if (schema instanceof z.ZodEnum) return { kind: 'choice', options: schema.options.map(String), nullable };
  if (schema instanceof z.ZodObject) return { kind: 'group', nullable };
  if (schema instanceof z.ZodArray) {
    const element = bare(schema.element).schema;
    if (element instanceof z.ZodEnum) return { kind: 'choices', options: element.options.map(String), nullable };
  }
  return { kind: 'text', nullable };
}

/** Every path below `path` that something can be set at, in the schema's order; a group that can be absent counts itself too. */
export function pathsBelow(path: string): string[] {
  const { schema, nullable } = bare(schemaAt(path));
  if (!(schema instanceof z.ZodObject)) return [path];
  const below = Object.keys(schema.shape).flatMap((key) => pathsBelow(`${path}.${key}`));
  return nullable ? [path, ...below] : below;
}

/** What stands at a path; undefined where nothing does. */
export function valueAt(experiment: Experiment, path: string): unknown {
  let value: unknown = experiment;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

/** The bounds in words; empty where there are none to tell. */
export function boundsOf(field: Field): string {
  if (field.kind !== 'number') return '';
  const kind = field.whole ? 'whole number' : 'number';
  const low = field.above ? `above ${written(field.min)}` : `from ${written(field.min)}`;
  return `${kind} ${low}${field.above ? ', at most' : ' to'} ${written(field.max)}`;
}

/** A value as it stands beside a field: plain words instead of JSON. */
export function shown(value: unknown): string {
  if (value === null) return 'none';
  if (value === true) return 'on';
  if (value === false) return 'off';
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'object' ? 'its own' : String(value);
}

function written(value: number): string {
  return Number.isFinite(value) ? value.toLocaleString('en', { maximumFractionDigits: 6 }) : '∞';
}

function schemaAt(path: string): z.core.$ZodType {
  let schema: z.core.$ZodType = experimentSchema;
  for (const key of path.split('.')) {
    const inner = bare(schema).schema;
    const child: unknown = inner instanceof z.ZodArray ? inner.element : inner instanceof z.ZodObject ? inner.shape[key] : undefined;
    if (!(child instanceof z.core.$ZodType)) throw new RangeError(`an experiment has no field ${path}`);
    schema = child;
  }
  return schema;
}

function excludesLowerBound(schema: z.ZodNumber): boolean {
  return (schema.def.checks ?? []).some(({ _zod: { def } }) => def.check === 'greater_than' && 'inclusive' in def && !def.inclusive);
}

/** The schema beneath defaults, and whether there may be nothing. */
function bare(schema: z.core.$ZodType): { schema: z.core.$ZodType; nullable: boolean } {
  if (schema instanceof z.ZodNullable) return { ...bare(schema.unwrap()), nullable: true };
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) return bare(schema.unwrap());
  return { schema, nullable: false };
}
