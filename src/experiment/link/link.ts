/**
 * An experiment as a piece of an address: what differs from a preset, as canonical JSON, deflated, in base64url, with whatever else is
 * shared. Nothing of it is sent to any server, since it stands behind the `#`. Whatever comes in is hostile until parsed.
 */
import type { Experiment } from '../schema.ts';
import { pack, unpackJson } from './packing.ts';
import type { LinkParts } from './parts.ts';
import { readPayload, writePayload, type OpenedShare } from './payload.ts';

export { MAX_COMPRESSED } from './packing.ts';

/** What stands before the payload in an address's fragment. */
const PARAMETER = 'x';

/** The fragment for an experiment, without the `#`. Throws a PlaygroundError (`link-too-large`) for one that no link holds. */
export function encodeLink(experiment: Experiment, parts: LinkParts = {}): string {
  return `${PARAMETER}=${pack(writePayload(experiment, parts)).packed}`;
}

/** How many bytes of a link's cap this takes. Throws as `encodeLink` does. */
export function linkBytes(experiment: Experiment, parts: LinkParts): number {
  return pack(writePayload(experiment, parts)).bytes;
}

/** Whether an address's fragment is meant to be a link, readable or not. */
export function isLink(fragment: string): boolean {
  return fragment.replace(/^#/, '').startsWith(`${PARAMETER}=`);
}

/**
 * What a whole address, its fragment or the payload alone carries. Throws a PlaygroundError, and nothing else: `link-unreadable`,
 * `link-too-large`, `link-version`, or what the experiment's schema and its task refuse.
 */
export function decodeLink(link: string): OpenedShare {
  const fragment = link.slice(link.indexOf('#') + 1);
  return readPayload(unpackJson(fragment.startsWith(`${PARAMETER}=`) ? fragment.slice(PARAMETER.length + 1) : fragment));
}
