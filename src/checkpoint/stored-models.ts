/** Models of the Hub in a storage: fetched whole, listed, read without a network, and deleted. */
import { PlaygroundError } from '../runtime/errors.ts';
import type { FileStorage } from './caching-source.ts';
import { hubFolder, modelFolder, openCachedHub, storedManifest } from './hub-cache.ts';
import type { HubOptions } from './hub-client.ts';
import { showHubId, type HubId } from './hub-id.ts';
import type { HubManifest } from './hub-source.ts';
import type { OpfsStorage } from './opfs-storage.ts';
import { neededFiles } from './repository.ts';
import type { FileSource } from './source.ts';

export interface StoredModel {
  /** `owner/name`. */
  repository: string;
  commit: string;
  /** Bytes that are stored, unfinished files included. */
  bytes: number;
  /** Whether nothing is missing that training needs. */
  complete: boolean;
}

export interface FetchProgress {
  /** Bytes of all files that are needed: those that are there, and all. */
  received: number;
  total: number;
}

/** Fetches what is missing of the model. Goes on with what an earlier call left; throws what the Hub and the storage throw. */
export async function fetchModel(id: HubId, options: HubOptions, storage: FileStorage, onProgress: (progress: FetchProgress) => void): Promise<void> {
  let before = 0;
  let total = 0;
  const { source, manifest } = await openCachedHub(id, options, storage, ({ received }) => onProgress({ received: before + received, total }));
  const needed = await neededFiles(source, new Set(manifest.files.keys()));
  const bytesOf = (path: string): number => manifest.files.get(path)?.bytes ?? 0;
  total = needed.reduce((sum, path) => sum + bytesOf(path), 0);
  for (const path of needed) {
    // Reading nothing of a file fetches it.
    await source.readRange(path, 0, 0);
    before += bytesOf(path);
    onProgress({ received: before, total });
  }
}

/** The model as it is stored; asks nobody. Throws a PlaygroundError (`model-not-stored`) when something is missing. */
export async function openStoredModel(id: HubId, options: HubOptions, storage: FileStorage): Promise<{ source: FileSource; commit: string }> {
  const manifest = await storedManifest(id, options, storage);
  if (manifest && (await isWhole(manifest, options, storage))) return { source: storedSource(manifest, options, storage), commit: manifest.commit };
  throw new PlaygroundError('model-not-stored', `${showHubId(id)} is not in this browser.`, 'Open Models to see what it takes, and download it there.');
}

/** Every version of which weights are stored, also unfinished ones; in order of name. */
export async function listStoredModels(options: HubOptions, storage: OpfsStorage): Promise<StoredModel[]> {
  const models = new Map<string, { repository: string; commit: string; bytes: number; hasWeights: boolean }>();
  for (const { name, bytes } of await storage.list(hubFolder(options))) {
    const match = /^([\w.-]+?)--([\w.-]+)\/([0-9a-f]{40})\/(.+)$/.exec(name);
    if (!match) continue;
    const [, owner = '', repository = '', commit = '', path = ''] = match;
    const key = `${owner}/${repository}@${commit}`;
    const model = models.get(key) ?? { repository: `${owner}/${repository}`, commit, bytes: 0, hasWeights: false };
    model.bytes += bytes;
    model.hasWeights ||= path.endsWith('.safetensors');
    models.set(key, model);
  }
  const listed = [...models.values()].filter(({ hasWeights }) => hasWeights).sort((a, b) => a.repository.localeCompare(b.repository, 'en'));
  return Promise.all(
    listed.map(async ({ repository, commit, bytes }) => {
      const manifest = await storedManifest({ repository, revision: commit }, options, storage);
      return { repository, commit, bytes, complete: manifest !== null && (await isWhole(manifest, options, storage)) };
    }),
  );
}

/** Bytes that are still to be fetched of files whose names are known, unfinished ones counted in part. */
export async function missingBytes(needed: readonly string[], manifest: HubManifest, options: HubOptions, storage: OpfsStorage): Promise<number> {
  const stored = new Map((await storage.list(folderOf(manifest, options))).map(({ name, bytes }) => [name, bytes]));
  return needed.reduce((sum, path) => sum + Math.max(0, (manifest.files.get(path)?.bytes ?? 0) - (stored.get(path) ?? 0)), 0);
}

export async function removeStoredModel({ repository, commit }: Pick<StoredModel, 'repository' | 'commit'>, options: HubOptions, storage: OpfsStorage): Promise<void> {
  const folder = modelFolder(repository, options);
  await storage.remove(`${folder}/${commit}`);
  await storage.remove(`${folder}/revisions/${commit}.json`);
}

async function isWhole(manifest: HubManifest, options: HubOptions, storage: FileStorage): Promise<boolean> {
  try {
    const needed = await neededFiles(storedSource(manifest, options, storage), new Set(manifest.files.keys()));
    const sizes = await Promise.all(needed.map((path) => storage.size(`${folderOf(manifest, options)}/${path}`)));
    return needed.every((path, i) => manifest.files.get(path)?.bytes === sizes[i]);
  } catch (error) {
    // Without its list of shards it is not whole.
    if (error instanceof PlaygroundError && error.code === 'file-missing') return false;
    throw error;
  }
}

/** Complete files alone. */
function storedSource(manifest: HubManifest, options: HubOptions, storage: FileStorage): FileSource {
  const folder = folderOf(manifest, options);
  const sizeOf = async (path: string): Promise<number> => {
    const size = await storage.size(`${folder}/${path}`);
    if (size === null) throw new PlaygroundError('file-missing', `${path} of ${manifest.repository} is not stored.`, 'Download the model again.');
    return size;
  };
  return {
    description: `${manifest.repository}@${manifest.commit.slice(0, 8)}`,
    has: async (path) => (await storage.size(`${folder}/${path}`)) !== null,
    read: async (path) => storage.readRange(`${folder}/${path}`, 0, await sizeOf(path)),
    readRange: async (path, start, end) => storage.readRange(`${folder}/${path}`, start, Math.max(start, Math.min(end, await sizeOf(path)))),
  };
}

function folderOf({ repository, commit }: HubManifest, options: HubOptions): string {
  return `${modelFolder(repository, options)}/${commit}`;
}
