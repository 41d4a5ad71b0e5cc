/** The sweep that is being put together: fields and values as they are typed, and what they come to. */
import { presetByName } from '../../experiment/presets.ts';
import type { Experiment } from '../../experiment/schema.ts';
import { armsOf, parseSweep, SWEEP_VERSION, type Arm, type Sweep } from '../../experiment/sweep.ts';
import { PlaygroundError } from '../../runtime/errors.ts';
import { distinct } from '../runs/distinct.ts';

export interface BuiltField {
  path: string;
  /** With commas between them, as JSON or bare. */
  values: string;
}

/** The controls' experiment, rather than a preset. */
export const CONTROLS = 'controls';

export class SweepBuilder {
  base = $state(CONTROLS);
  name = $state('my-sweep');
  fields = $state<BuiltField[]>([{ path: 'algorithm.learningRate', values: '0.003, 0.01' }]);
  /** `path=value`, a line each, for every arm. */
  same = $state('');
  seeds = $state('1, 2, 3');
  readonly #current: () => Experiment;

  /** `current` gives the experiment that the controls say. */
  constructor(current: () => Experiment) {
    this.#current = current;
  }

  readonly experiment = $derived.by(() => (this.base === CONTROLS ? this.#current() : presetByName(this.base)));
  /** The sweep with its arms, or why there is none. */
  readonly built: { sweep: Sweep; arms: Arm[] } | { message: string; hint: string } = $derived.by(() => {
    try {
      const sweep = parseSweep({
        version: SWEEP_VERSION,
        name: this.name.trim(),
        base: this.base === CONTROLS ? $state.snapshot(this.experiment) : this.base,
        set: this.same.split('\n').map((line) => line.trim()).filter((line) => line !== ''),
        grid: Object.fromEntries(this.fields.filter(({ path }) => path.trim() !== '').map(({ path, values }) => [path.trim(), listOf(values)])),
        seeds: seedsOf(this.seeds),
      });
      return { sweep, arms: armsOf(sweep) };
    } catch (error) {
      if (error instanceof PlaygroundError) return { message: error.message, hint: error.hint };
      throw error;
    }
  });
  /** Every field of the experiment that can be changed. */
  readonly paths = $derived(leafPaths(this.experiment, '').filter((path) => path !== 'version' && path !== 'name' && path !== 'seed'));

  addField(): void {
    this.fields.push({ path: '', values: '' });
  }

  removeField(index: number): void {
    this.fields.splice(index, 1);
  }
}

/** `0.1, true, "a, b", word`: JSON where the whole is JSON, bare words between commas otherwise. */
export function listOf(text: string): unknown[] {
  try {
    const list: unknown = JSON.parse(`[${text}]`);
    if (Array.isArray(list)) return list;
  } catch {
    // Words without quotes.
  }
  return text.split(',').map((one) => one.trim()).filter((one) => one !== '').map(valueOf);
}

/** `1, 2, 5-8`. What is no number is left to the schema to refuse. */
export function seedsOf(text: string): unknown[] {
  return distinct(text.split(',').map((one) => one.trim()).filter((one) => one !== '').flatMap(rangeOf));
}

/** A range longer than this is a slip of the finger. */
const LONGEST_RANGE = 1000;

function rangeOf(text: string): unknown[] {
  const [, from, to] = /^(\d{1,10})\s*[-–]\s*(\d{1,10})$/.exec(text)?.map(Number) ?? [];
  if (from === undefined || to === undefined || to < from || to - from >= LONGEST_RANGE) return [valueOf(text)];
  return Array.from({ length: to - from + 1 }, (_, k) => from + k);
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function leafPaths(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([key, inner]) => leafPaths(inner, path === '' ? key : `${path}.${key}`));
}
