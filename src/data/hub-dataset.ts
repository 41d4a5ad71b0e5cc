/**
 * A data set of the Hub at one commit. Parquet comes before the dataset viewer's rows: two questions tell which files there are, a
 * commit pins them, and a file takes a few requests where the viewer takes one for every hundred rows and serves only what is newest.
 */
import { z } from 'zod';
import { cachedSource, type FileStorage } from '../checkpoint/caching-source.ts';
import { HubClient, hubEndpoint, type HubOptions } from '../checkpoint/hub-client.ts';
import type { HubId } from '../checkpoint/hub-id.ts';
import { openHub } from '../checkpoint/hub-source.ts';
import { safePath } from '../checkpoint/safe-path.ts';
import type { RemoteFile } from '../checkpoint/source.ts';
import { PlaygroundError } from '../runtime/errors.ts';
import type { ByteFile } from './byte-file.ts';
import { splitsOf, type SplitFiles } from './layout.ts';
import { viewerSplits } from './viewer.ts';

z.config({ jitless: true });

export interface DatasetAccess {
  hub: HubOptions;
  /** The dataset viewer's address; the Hub's own unless given. */
  viewer?: string | undefined;
  /** Where what was fetched is kept; null: nowhere. */
  storage: FileStorage | null;
}

export interface HubDataset {
  /** `owner/name`. */
  repository: string;
  /** What the rows are read at: 40 hexadecimal digits. */
  commit: string;
  /** As its owner calls it; null where nothing is said. */
  licence: string | null;
  /** From its files at that commit, or from the dataset viewer, which knows the newest alone. */
  via: 'files' | 'viewer';
  splits: readonly SplitFiles[];
  files: ReadonlyMap<string, RemoteFile>;
}

const COMMIT = /^[0-9a-f]{40}$/;
/** The Hub's own conversion to Parquet of whatever a data set's newest version holds. */
const CONVERTED_BRANCH = 'refs/convert/parquet';
/** Larger files are read piece by piece and not kept. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;
const MAX_FILES = 20_000;

const texts = z.union([z.string().transform((one) => [one]), z.array(z.string())]);
const answerSchema = z.looseObject({
  sha: z.string().regex(COMMIT),
  cardData: z.looseObject({ license: texts.optional().catch(undefined), configs: z.unknown() }).nullish().catch(null),
  tags: z.array(z.string()).optional().catch(undefined),
  siblings: z
    .array(z.looseObject({ rfilename: z.string().max(1000), size: z.int().min(0).nullish(), lfs: z.looseObject({ sha256: z.string().regex(/^[0-9a-f]{64}$/) }).nullish() }))
    .max(MAX_FILES),
});
type Answer = z.output<typeof answerSchema>;

const noteSchema = z.object({
  commit: z.string().regex(COMMIT),
  licence: z.string().nullable(),
  via: z.enum(['files', 'viewer']),
  splits: z.array(z.object({ config: z.string(), split: z.string(), files: z.array(z.string()), bytes: z.number() })),
  files: z.array(z.tuple([z.string(), z.object({ bytes: z.int().min(0), sha256: z.string().nullable() })])),
});

/**
 * Asks the Hub what the data set is; without a network, what it was when it was last asked. A revision that is a commit is asked for once. Throws
 * PlaygroundErrors (`hub-access`, `hub-missing`, `hub-answer`, `network`, `data-unsupported`).
 */
export async function findDataset(id: HubId, access: DatasetAccess): Promise<HubDataset> {
  const stored = await readNote(id, access);
  if (stored && COMMIT.test(id.revision)) return stored;
  try {
    const found = await ask(id, access);
    const { repository, files, ...rest } = found;
    const note = new TextEncoder().encode(JSON.stringify({ ...rest, files: [...files] }));
    for (const revision of new Set([id.revision, ...(found.via === 'files' ? [found.commit] : [])])) await access.storage?.write(notePlace({ repository, revision }, access), note);
    return found;
  } catch (error) {
    if (stored && error instanceof PlaygroundError && error.code === 'network') return stored;
    throw error;
  }
}

/** A file of it, whole from the storage where it is small and there is one, else range by range from the Hub. */
export function datasetFile({ repository, commit, files }: HubDataset, name: string, { hub, storage }: DatasetAccess): ByteFile {
  const bytes = files.get(name)?.bytes ?? 0;
  const remote = openHub({ repository: `datasets/${repository}`, commit, files }, hub);
  const source = storage && bytes <= MAX_KEPT_BYTES ? cachedSource(remote, storage, `${folderOf(repository, hub)}/${commit}`) : remote;
  return { name: name.split('/').at(-1) ?? name, bytes, read: (start, end) => source.readRange(name, start, end) };
}

/** Where in a storage what belongs to the data set lies. */
export function folderOf(repository: string, hub: HubOptions): string {
  return `data/${hubEndpoint(hub).host.replace(/[^\w.-]/g, '_')}/${repository.replace('/', '--')}`;
}

async function ask({ repository, revision }: HubId, access: DatasetAccess): Promise<HubDataset> {
  const client = new HubClient(access.hub);
  const own = await askRevision(client, repository, revision);
  const licence = licenceOf(own);
  const at = (answer: Answer): Pick<HubDataset, 'commit' | 'files' | 'splits'> => {
    const files = filesOf(answer);
    return { commit: answer.sha, files, splits: splitsOf(files, answer.cardData?.configs) };
  };
  const newest = revision === 'main';
  const converted = newest ? await unlessMissing(() => askRevision(client, repository, CONVERTED_BRANCH)) : null;
  for (const answer of [converted, own]) {
    const found = answer && at(answer);
    if (found && found.splits.length > 0) return { repository, licence, via: 'files', ...found };
  }
  const splits = newest ? await viewerSplits(repository, access) : [];
  if (splits.length === 0) {
    throw new PlaygroundError('data-unsupported', `datasets/${repository} holds no table that can be read here.`, 'Choose another data set, or download its rows and choose the file.');
  }
  return { repository, licence, via: 'viewer', commit: own.sha, files: new Map(), splits: splits.map((split) => ({ ...split, files: [], bytes: 0 })) };
}

async function askRevision(client: HubClient, repository: string, revision: string): Promise<Answer> {
  const json = await client.json(`api/datasets/${repository}/revision/${encodeURIComponent(revision)}?blobs=true`, `datasets/${repository}`);
  const parsed = answerSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  throw new PlaygroundError('hub-answer', `${client.endpoint.host} did not answer as the Hub does.`, 'Check the address of the Hub.', { cause: parsed.error });
}

async function unlessMissing<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PlaygroundError && error.code === 'hub-missing') return null;
    throw error;
  }
}

function filesOf({ siblings }: Answer): Map<string, RemoteFile> {
  const files = new Map<string, RemoteFile>();
  for (const { rfilename, size, lfs } of siblings) {
    // A file whose name is no path here is never asked for.
    if (typeof size === 'number' && isSafe(rfilename)) files.set(rfilename, { bytes: size, sha256: lfs?.sha256 ?? null });
  }
  return files;
}

function licenceOf({ cardData, tags }: Answer): string | null {
  const named = cardData?.license ?? tags?.flatMap((tag) => (tag.startsWith('license:') ? [tag.slice('license:'.length)] : [])) ?? [];
  return named.length > 0 ? named.join(', ').slice(0, 200) : null;
}

async function readNote(id: HubId, access: DatasetAccess): Promise<HubDataset | null> {
  const { storage } = access;
  const place = notePlace(id, access);
  const size = await storage?.size(place);
  if (!storage || size === null || size === undefined) return null;
  try {
    const { files, ...rest } = noteSchema.parse(JSON.parse(new TextDecoder().decode(await storage.readRange(place, 0, size))));
    return { repository: id.repository, ...rest, files: new Map(files) };
  } catch {
    // A note that cannot be read is as good as none: the Hub is asked again.
    return null;
  }
}

function notePlace({ repository, revision }: HubId, { hub }: DatasetAccess): string {
  return `${folderOf(repository, hub)}/revisions/${revision.replaceAll('/', '--')}.json`;
}

function isSafe(path: string): boolean {
  try {
    return safePath(path) === path;
  } catch {
    return false;
  }
}
