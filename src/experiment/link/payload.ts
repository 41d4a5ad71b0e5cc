/** The document within a link or a file: its versions, the way from each to the next, and what it opens to. */
import { z } from 'zod';
import { PlaygroundError } from '../../runtime/errors.ts';
import { canonicalJson } from '../canonical.ts';
import { applyDifference, differenceBetween, type Difference } from '../difference.ts';
import { PRESETS, presetByName } from '../presets.ts';
import { findForbiddenKey } from '../refusal.ts';
import { parseExperiment, type Experiment } from '../schema.ts';
import { unreadable } from './packing.ts';
import { adaptersSchema, resultsSchema, teachingSchema, type LinkParts } from './parts.ts';

z.config({ jitless: true });

/** The version that is written. A change of the format adds one, and a way from the former to it. */
export const PAYLOAD_VERSION = 2;

const body = {
  /** The preset that is changed. */
  p: z.string().max(80),
  /** New values by path. */
  s: z.record(z.string().max(300), z.json()).default({}),
  /** Paths that the preset has and the experiment has not. */
  d: z.array(z.string().max(300)).max(1000).default([]),
};

const firstSchema = z.strictObject({ v: z.literal(1), ...body });
const secondSchema = z.strictObject({
  v: z.literal(2),
  ...body,
  r: resultsSchema.optional(),
  a: adaptersSchema.optional(),
  t: teachingSchema.optional(),
});

type Payload = z.output<typeof secondSchema>;

/** What a link or a file carries. */
export interface OpenedShare {
  experiment: Experiment;
  /** The preset that it starts from, and what it changes. */
  preset: string;
  changes: Difference;
  parts: LinkParts;
}

/** The payload for an experiment, as JSON: against the preset that leaves least to say. */
export function writePayload(experiment: Experiment, parts: LinkParts = {}): string {
  const { results, adapters, teaching } = parts;
  const carried = { ...(results ? { r: results } : {}), ...(adapters ? { a: adapters } : {}), ...(teaching ? { t: teaching } : {}) };
  const candidates = PRESETS.map((preset) => {
    const { set, dropped } = differenceBetween(preset.experiment, experiment);
    return { p: preset.name, ...(Object.keys(set).length > 0 ? { s: set } : {}), ...(dropped.length > 0 ? { d: dropped } : {}) };
  });
  const shortest = candidates.map(canonicalJson).reduce((best, one) => (one.length < best.length ? one : best));
  return canonicalJson({ v: PAYLOAD_VERSION, ...(JSON.parse(shortest) as object), ...carried });
}

/** Throws a PlaygroundError, and nothing else: `link-unreadable`, `link-version`, or what the experiment's schema and its task refuse. */
export function readPayload(document: unknown): OpenedShare {
  if (findForbiddenKey(document) !== null) throw unreadable();
  refuseNewerVersions(document);
  const { p: preset, s: set, d: dropped, r: results, a: adapters, t: teaching } = migrated(document);
  const changes: Difference = { set, dropped };
  const changed = applyDifference(presetByName(preset), changes);
  if (changed === null) throw unreadable();
  const experiment = parseExperiment(changed);
  if (adapters && Object.keys(adapters).some((agent) => experiment.team.agents.every(({ name }) => name !== agent))) throw unreadable();
  return { experiment, preset, changes, parts: { ...(results ? { results } : {}), ...(adapters ? { adapters } : {}), ...(teaching ? { teaching } : {}) } };
}

/** Any version's document as the newest's. */
function migrated(document: unknown): Payload {
  const first = firstSchema.safeParse(document);
  // The second version added parts to the first, and changed nothing.
  if (first.success) return { ...first.data, v: 2 };
  const second = secondSchema.safeParse(document);
  if (!second.success) throw unreadable(second.error);
  return second.data;
}

function refuseNewerVersions(document: unknown): void {
  if (typeof document !== 'object' || document === null || !('v' in document)) return;
  const { v } = document;
  if (typeof v !== 'number' || v <= PAYLOAD_VERSION) return;
  throw new PlaygroundError('link-version', `The link was made by a newer release (version ${v} of the format; this one reads ${PAYLOAD_VERSION}).`, 'Open it with a newer release of the playground.');
}
