/** The same document as a file, `.marft.json`: readable, and with room for what no address holds. */
import { PlaygroundError } from '../../runtime/errors.ts';
import { findForbiddenKey } from '../refusal.ts';
import { parseExperiment, type Experiment } from '../schema.ts';
import { parseJson } from './packing.ts';
import type { LinkParts } from './parts.ts';
import { readPayload, writePayload, type OpenedShare } from './payload.ts';

const FORMAT = 'marft-share';
export const FILE_ENDING = '.marft.json';
/** Bytes of a file that is opened. */
export const MAX_FILE = 32 * 1024 * 1024;

export function writeShareFile(experiment: Experiment, parts: LinkParts = {}): string {
  return `${JSON.stringify({ format: FORMAT, ...(JSON.parse(writePayload(experiment, parts)) as object) }, null, 1)}\n`;
}

/** A shared file, or an experiment's bare document as the command line takes it. Throws a PlaygroundError, and nothing else. */
export function readShareFile(bytes: Uint8Array): OpenedShare {
  if (bytes.length > MAX_FILE) throw new PlaygroundError('link-too-large', `The file is larger than ${MAX_FILE / 1024 / 1024} MB.`, 'No shared experiment is that large.');
  const document = readDocument(bytes);
  if (findForbiddenKey(document) !== null) throw refused();
  if (typeof document !== 'object' || document === null) throw refused();
  if ('team' in document && 'version' in document) return readPayload(JSON.parse(writePayload(parseExperiment(document))));
  const { format, ...payload } = document as Record<string, unknown>;
  if (format !== FORMAT) throw refused();
  try {
    return readPayload(payload);
  } catch (cause) {
    throw cause instanceof PlaygroundError && cause.code === 'link-unreadable' ? refused(cause) : cause;
  }
}

function readDocument(bytes: Uint8Array): unknown {
  try {
    return parseJson(bytes);
  } catch (cause) {
    throw refused(cause);
  }
}

function refused(cause?: unknown): PlaygroundError {
  return new PlaygroundError('link-unreadable', 'This file is no shared experiment, or it is damaged.', `Choose a file that ends in ${FILE_ENDING}, as “Share” writes it.`, { cause });
}
