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
}

const COMMIT = /^[0-9a-f]{40}$/;
const storedManifest = z.object({
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
  // No name on the Hub holds two hyphens, so that no two models share a folder; and no two Hubs do.
  const host = hubEndpoint(options).host.replace(/[^\w.-]/g, '_');
  const folder = `${host}/${id.repository.replace('/', '--')}`;
  const place = `${folder}/revisions/${id.revision.replaceAll('/', '--')}.json`;
  const manifest = await resolve(id, options, storage, place);
  return { source: cachedSource(openHub(manifest, options), storage, `${folder}/${manifest.commit}`, onProgress), commit: manifest.commit };
}

async function resolve(id: HubId, options: HubOptions, storage: FileStorage, place: string): Promise<HubManifest> {
  const stored = await readManifest(id, storage, place);
  // What a commit holds does not change.
  if (stored && COMMIT.test(id.revision)) return stored;
  try {
    const manifest = await findRevision(id, options);
    const { commit, files } = manifest;
    await storage.write(place, new TextEncoder().encode(JSON.stringify({ commit, files: [...files] })));
    return manifest;
  } catch (error) {
    if (stored && error instanceof PlaygroundError && error.code === 'network') return stored;
    throw error;
  }
}

async function readManifest({ repository }: HubId, storage: FileStorage, place: string): Promise<HubManifest | null> {
  const size = await storage.size(place);
  if (size === null) return null;
  try {
    const { commit, files } = storedManifest.parse(JSON.parse(new TextDecoder().decode(await storage.readRange(place, 0, size))));
    return { repository, commit, files: new Map(files) };
  } catch {
    // A note that cannot be read is as good as none: the Hub is asked again.
    return null;
  }
}
