/**
 * An experiment as a piece of an address: what differs from a preset, as canonical JSON, deflated, in base64url. Nothing of it is sent to
 * any server, since it stands behind the `#`. Whatever comes in is hostile until parsed: sizes are capped before anything is expanded.
 */
import { deflateSync, Inflate } from 'fflate';
import { z } from 'zod';
import { PlaygroundError } from '../runtime/errors.ts';
import { canonicalJson } from './canonical.ts';
import { applyDifference, differenceBetween, type Difference } from './difference.ts';
import { PRESETS, presetByName } from './presets.ts';
import { findForbiddenKey } from './refusal.ts';
import { parseExperiment, type Experiment } from './schema.ts';

z.config({ jitless: true });

/** The version that is written. A change of the format adds one, and a way from the former to it. */
const LINK_VERSION = 1;

/** What stands before the payload in an address's fragment. */
const PARAMETER = 'x';

/** Bytes of the payload: more than any browser's address holds comfortably. */
export const MAX_COMPRESSED = 64 * 1024;
/** Bytes of the JSON within. */
export const MAX_EXPANDED = 1024 * 1024;

/** Compressed bytes that are expanded in one go: deflate makes at most a thousand times as much of them. */
const STEP = 512;

const payloadSchema = z.strictObject({
  v: z.literal(LINK_VERSION),
  /** The preset that is changed. */
  p: z.string().max(80),
  /** New values by path. */
  s: z.record(z.string().max(300), z.json()).default({}),
  /** Paths that the preset has and the experiment has not. */
  d: z.array(z.string().max(300)).max(1000).default([]),
});

/** What an address carries. */
export interface OpenedLink {
  experiment: Experiment;
  /** The preset that it starts from, and what it changes. */
  preset: string;
  changes: Difference;
}

/** The fragment for an experiment, without the `#`. Throws a PlaygroundError (`link-too-large`) for one that no link holds. */
export function encodeLink(experiment: Experiment): string {
  const candidates = PRESETS.map((preset) => {
    const { set, dropped } = differenceBetween(preset.experiment, experiment);
    return canonicalJson({ v: LINK_VERSION, p: preset.name, ...(Object.keys(set).length > 0 ? { s: set } : {}), ...(dropped.length > 0 ? { d: dropped } : {}) });
  });
  const shortest = candidates.reduce((best, one) => (one.length < best.length ? one : best));
  const json = new TextEncoder().encode(shortest);
  const compressed = deflateSync(json, { level: 9 });
  if (json.length > MAX_EXPANDED || compressed.length > MAX_COMPRESSED) {
    throw tooLarge('The experiment does not fit into a link.', 'Share it as a file instead.');
  }
  return `${PARAMETER}=${toBase64Url(compressed)}`;
}

/**
 * What a whole address, its fragment or the payload alone carries. Throws a PlaygroundError, and nothing else: `link-unreadable`,
 * `link-too-large`, `link-version`, or what the experiment's schema and its task refuse.
 */
export function decodeLink(link: string): OpenedLink {
  const fragment = link.slice(link.indexOf('#') + 1);
  const payload = fragment.startsWith(`${PARAMETER}=`) ? fragment.slice(PARAMETER.length + 1) : fragment;
  // Four characters carry three bytes.
  if (payload.length > Math.ceil((MAX_COMPRESSED * 4) / 3)) throw tooLarge(`The link is longer than ${MAX_COMPRESSED / 1024} KB.`, 'Ask whoever made it for the experiment as a file.');
  const document = parseJson(expand(fromBase64Url(payload)));
  if (findForbiddenKey(document) !== null) throw unreadable();
  refuseOtherVersions(document);
  const parsed = payloadSchema.safeParse(document);
  if (!parsed.success) throw unreadable(parsed.error);
  const { p: preset, s: set, d: dropped } = parsed.data;
  const changes: Difference = { set, dropped };
  const changed = applyDifference(presetByName(preset), changes);
  if (changed === null) throw unreadable();
  return { experiment: parseExperiment(changed), preset, changes };
}

/** At most `MAX_EXPANDED` bytes, in steps, so that what expands to more is refused before it has. */
function expand(compressed: Uint8Array): Uint8Array {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const inflate = new Inflate((chunk) => {
    size += chunk.length;
    if (size > MAX_EXPANDED) throw tooLarge(`The link expands to more than ${MAX_EXPANDED / 1024 / 1024} MB.`, 'No experiment is that large; somebody made it to do harm.');
    chunks.push(chunk);
  });
  try {
    for (let start = 0; start < compressed.length; start += STEP) {
      inflate.push(compressed.subarray(start, start + STEP), start + STEP >= compressed.length);
    }
  } catch (error) {
    throw error instanceof PlaygroundError ? error : unreadable(error);
  }
  const whole = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.length;
  }
  return whole;
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown;
  } catch (error) {
    throw unreadable(error);
  }
}

function refuseOtherVersions(document: unknown): void {
  if (typeof document !== 'object' || document === null || !('v' in document)) return;
  const { v } = document;
  if (typeof v !== 'number' || v <= LINK_VERSION) return;
  throw new PlaygroundError('link-version', `The link was made by a newer release (version ${v} of the format; this one reads ${LINK_VERSION}).`, 'Open it with a newer release of the playground.');
}

function toBase64Url(bytes: Uint8Array): string {
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function fromBase64Url(text: string): Uint8Array {
  if (text === '' || !/^[\w-]*$/.test(text)) throw unreadable();
  try {
    return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0));
  } catch (error) {
    throw unreadable(error);
  }
}

function tooLarge(message: string, hint: string): PlaygroundError {
  return new PlaygroundError('link-too-large', message, hint);
}

function unreadable(cause?: unknown): PlaygroundError {
  return new PlaygroundError('link-unreadable', 'The link is damaged or incomplete.', 'Copy it again, whole.', { cause });
}
