/** Where the command line finds a model: in this checkout, on the Hub through a cache, or in a folder. */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DownloadProgress } from '../checkpoint/caching-source.ts';
import { openFolder } from '../checkpoint/folder-source.ts';
import { folderStorage } from '../checkpoint/folder-storage.ts';
import { openCachedHub } from '../checkpoint/hub-cache.ts';
import { showHubId } from '../checkpoint/hub-id.ts';
import type { FileSource } from '../checkpoint/source.ts';
import { modelChoice, type ModelChoice } from '../experiment/model.ts';
import { embeddedVersion } from '../experiment/model-version.ts';
import { UsageError, type Arguments } from './arguments.ts';

/** A folder can only be named on the command line: an experiment from elsewhere must not choose one. */
export type CommandLineModel = ModelChoice | { kind: 'folder'; path: string };

export interface OpenedModel {
  source: FileSource;
  /** As an adapter names its base: what Python's libraries would load. */
  name: string;
  /** Which version of it; null where the name says all. */
  commit: string | null;
}

/** Where the Hub is and where its models are kept. */
export interface HubAccess {
  endpoint: string | undefined;
  cache: string;
}

export const HUB_OPTIONS = { 'hub-endpoint': 'value', cache: 'value' } as const;

export const MODEL_HELP = `owner/name or owner/name@revision of the Hugging Face Hub, a folder (./path or
                      absolute), or the name of a model that comes with the program`;

export const HUB_HELP = `  --cache DIR         Where models of the Hub are kept; ${join('~', ...cacheParts())} unless given.
  --hub-endpoint URL  Another address of the Hub; MARFT_HUB_ENDPOINT says the same.

For gated and private models, HF_TOKEN in the environment is sent to the Hub, and to nobody else.`;

const EMBEDDED = fileURLToPath(new URL('../../public/models/', import.meta.url));

/** What --model names. Throws a PlaygroundError (`hub-id`) when it can be none of the three. */
export function readModel(text: string): CommandLineModel {
  const isFolder = /^(?:\.\.?(?:[/\\]|$)|[/\\]|[A-Za-z]:[/\\])/.test(text);
  return isFolder ? { kind: 'folder', path: text } : modelChoice(text);
}

/** As `readModel` reads it, from wherever; a model of the Hub at the commit that was opened. */
export function modelArgument(model: CommandLineModel, commit: string | null): string {
  switch (model.kind) {
    case 'embedded':
      return model.name;
    case 'folder':
      return resolve(model.path);
    case 'hub':
      return showHubId({ ...model.id, revision: commit ?? model.id.revision });
  }
}

/** Name and version of an opened model. Of a folder only the path is known: what lies there may be changed. */
export function modelVersion(model: CommandLineModel, { source, name, commit }: OpenedModel): Promise<string> {
  if (model.kind === 'embedded') return embeddedVersion(name, source);
  return Promise.resolve(commit === null ? resolve(name) : `${name}@${commit}`);
}

export function hubAccess({ values }: Arguments): HubAccess {
  const cache = values.get('cache') ?? join(homedir(), ...cacheParts());
  if (cache === '') throw new UsageError('The option --cache needs a folder.', 'For example --cache ./models.');
  return { endpoint: values.get('hub-endpoint') ?? process.env['MARFT_HUB_ENDPOINT'], cache };
}

/** Opens the model's repository; of the Hub, asks only which commit it is. Throws PlaygroundErrors when it cannot be had. */
export async function openModel(model: CommandLineModel, hub: HubAccess, onProgress: (progress: DownloadProgress) => void): Promise<OpenedModel> {
  switch (model.kind) {
    case 'embedded':
      return { source: openFolder(`${EMBEDDED}${model.name}`), name: model.name, commit: null };
    case 'folder':
      return { source: openFolder(model.path), name: model.path, commit: null };
    case 'hub': {
      const options = { endpoint: hub.endpoint, token: process.env['HF_TOKEN'] };
      const { source, commit } = await openCachedHub(model.id, options, folderStorage(hub.cache), onProgress);
      return { source, name: model.id.repository, commit };
    }
  }
}

/** A download in a few words. */
export function describeDownload({ path, received, total }: DownloadProgress): string {
  const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(0);
  return `downloading ${path}: ${megabytes(received)} of ${megabytes(total)} MB …`;
}

/** From the home folder to where programs keep what can be fetched again. */
function cacheParts(): string[] {
  if (process.platform === 'darwin') return ['Library', 'Caches', 'marft-playground'];
  if (process.platform === 'win32') return ['AppData', 'Local', 'marft-playground', 'cache'];
  return ['.cache', 'marft-playground'];
}
