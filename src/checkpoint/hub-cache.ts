/** Models of the Hub through a cache: what was fetched once is there without a network, and a commit is never asked for twice. */
import { z } from 'zod';
import { PlaygroundError } from '../runtime/errors.ts';
import { cachedSource, type DownloadProgress, type FileStorage } from './caching-source.ts';
import { hubEndpoint, type HubOptions } from './hub-client.ts';
import type { HubId } from './hub-id.ts';
import { findRevision, openHub, type HubManifest } from './hub-source.ts';
import type { FileSource } from './source.ts';

z.config({ jitless: true });

export interface CachedModel {
  source: FileSource;
  /** The commit that the revision meant. */
  commit: string;
  manifest: HubManifest;
}

const COMMIT = /^[0-9a-f]{40}$/;
const manifestSchema = z.object({
  commit: z.string().regex(COMMIT),
  files: z.array(z.tuple([z.string(), z.object({ bytes: z.int().min(0), sha256: z.string().nullable() })])),
});

/**
 * Asks the Hub what the revision is now; without a network, what it was when it was last asked. Throws PlaygroundErrors as
 * `findRevision` does. `onProgress` hears of every piece that arrives.
 */
export async function openCachedHub(
  id: HubId,
  options: HubOptions,
  storage: FileStorage,
  onProgress?: (progress: DownloadProgress) => void,
): Promise<CachedModel> {
  const manifest = await resolve(id, options, storage);
  const folder = `${modelFolder(id.repository, options)}/${manifest.commit}`;
  return { source: cachedSource(openHub(manifest, options), storage, folder, onProgress), commit: manifest.commit, manifest };
}

/** Where in a storage the models of that Hub lie; no two Hubs share a folder. */
export function hubFolder(options: HubOptions): string {
  return hubEndpoint(options).host.replace(/[^\w.-]/g, '_');
}

/** Where the model's versions lie, a folder per commit. */
export function modelFolder(repository: string, options: HubOptions): string {
  // No name on the Hub holds two hyphens, so that no two models share a folder.
  return `${hubFolder(options)}/${repository.replace('/', '--')}`;
}

/** What the Hub said of the revision when it was last asked; null when it never was. Asks nobody. */
export async function storedManifest(id: HubId, options: HubOptions, storage: FileStorage): Promise<HubManifest | null> {
  const place = manifestPlace(id, options);
  const size = await storage.size(place);
  if (size === null) return null;
  try {
    const { commit, files } = manifestSchema.parse(JSON.parse(new TextDecoder().decode(await storage.readRange(place, 0, size))));
    return { repository: id.repository, commit, files: new Map(files) };
  } catch {
    // A note that cannot be read is as good as none: the Hub is asked again.
    return null;
  }
}

async function resolve(id: HubId, options: HubOptions, storage: FileStorage): Promise<HubManifest> {
  const stored = await storedManifest(id, options, storage);
  // What a commit holds does not change.
  if (stored && COMMIT.test(id.revision)) return stored;
  try {
    const manifest = await findRevision(id, options);
    const { commit, files } = manifest;
    const note = new TextEncoder().encode(JSON.stringify({ commit, files: [...files] }));
    // By its commit too, so that whoever names that later need not ask.
    for (const revision of new Set([id.revision, commit])) await storage.write(manifestPlace({ ...id, revision }, options), note);
    return manifest;
  } catch (error) {
    if (stored && error instanceof PlaygroundError && error.code === 'network') return stored;
    throw error;
  }
}

function manifestPlace({ repository, revision }: HubId, options: HubOptions): string {
  return `${modelFolder(repository, options)}/revisions/${revision.replaceAll('/', '--')}.json`;
}
