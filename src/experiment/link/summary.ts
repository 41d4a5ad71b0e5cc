/** What whoever opens a link should know before anything happens: what it changes, fetches, and carries. No requests, nothing run. */
import { knownSet } from '../../tasks/dataset/known-sets.ts';
import { codeOf, type CarriedCode } from '../carried-code.ts';
import { modelChoice } from '../model.ts';
import { presetByName, PRESETS } from '../presets.ts';
import type { Experiment } from '../schema.ts';
import type { OpenedShare } from './payload.ts';

export interface Change {
  path: string;
  /** As JSON, cut where long; null: there is none. */
  before: string | null;
  after: string | null;
}

export interface ShareSummary {
  /** The preset's title. */
  title: string;
  changes: Change[];
  /** What would be fetched from elsewhere, one sentence each. */
  downloads: string[];
  /** Programs that would be run, after the user has said so. */
  code: CarriedCode[];
}

const LONGEST = 80;

export function summarise({ experiment, preset, changes }: OpenedShare): ShareSummary {
  const base = presetByName(preset);
  const paths = [...Object.keys(changes.set), ...changes.dropped].sort();
  return {
    title: PRESETS.find(({ name }) => name === preset)?.title ?? preset,
    changes: paths.map((path) => ({ path, before: written(valueAt(base, path)), after: written(valueAt(experiment, path)) })),
    downloads: downloadsOf(experiment),
    code: codeOf(experiment),
  };
}

/** What the experiment needs that the page does not bring. */
export function downloadsOf({ model, task }: Experiment): string[] {
  const choice = modelChoice(model);
  const downloads = choice.kind === 'hub' ? [`The model ${model.slice('hub:'.length)} from the Hugging Face Hub, unless this browser has it already. Choose the model to see how large it is.`] : [];
  const { source } = task.options;
  if (task.name === 'dataset' && typeof source === 'string') {
    const known = knownSet(source);
    if (known !== null || source.startsWith('hub:')) downloads.push(`Problems from the Hugging Face Hub: ${known?.title ?? source.slice('hub:'.length)}.`);
  }
  return downloads;
}

function written(value: unknown): string | null {
  if (value === undefined) return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}

function valueAt(document: unknown, path: string): unknown {
  let value = document;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}
