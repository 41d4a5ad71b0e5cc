/** A model of the Hugging Face Hub as a source of files, at one commit. */
import { z } from 'zod';
import { PlaygroundError } from '../runtime/errors.ts';
import { HubClient, type HubOptions } from './hub-client.ts';
import type { HubId } from './hub-id.ts';
import { safePath } from './safe-path.ts';
import type { RemoteFile, RemoteSource } from './source.ts';

z.config({ jitless: true });

/** What the Hub says of a model at a revision. */
export interface HubManifest {
  /** `owner/name`. */
  repository: string;
  /** What the revision meant when the Hub was asked: 40 hexadecimal digits. */
  commit: string;
  /** Size and, for files in large-file storage, SHA-256 of each file by path. */
  files: ReadonlyMap<string, RemoteFile>;
}

/** A file that is asked for whole is held in memory; the largest of them, a tokenizer, has some tens of megabytes. */
const MAX_WHOLE_FILE_BYTES = 256 * 1024 * 1024;
/** Files of one repository; the largest models have some hundred. */
const MAX_FILES = 20_000;

const bytes = z.int().min(0);
const answer = z.looseObject({
  sha: z.string().regex(/^[0-9a-f]{40}$/),
  siblings: z
    .array(
      z.looseObject({
        rfilename: z.string().max(1000),
        size: bytes,
        lfs: z.looseObject({ sha256: z.string().regex(/^[0-9a-f]{64}$/) }).nullish(),
      }),
    )
    .max(MAX_FILES),
});

/** Asks what the revision is. Throws PlaygroundErrors (`hub-access`, `hub-missing`, `network`, `hub-answer`). */
export async function findRevision({ repository, revision }: HubId, options: HubOptions = {}): Promise<HubManifest> {
  const client = new HubClient(options);
  const json = await client.json(`api/models/${repository}/revision/${encodeURIComponent(revision)}?blobs=true`, repository);
  const parsed = answer.safeParse(json);
  if (!parsed.success) {
    throw new PlaygroundError('hub-answer', `${client.endpoint.host} did not answer as the Hub does.`, 'Check the address of the Hub.', { cause: parsed.error });
  }
  const files = new Map<string, RemoteFile>();
  for (const { rfilename, size, lfs } of parsed.data.siblings) {
    // A file whose name is no path here is never asked for.
    if (isSafe(rfilename)) files.set(rfilename, { bytes: size, sha256: lfs?.sha256 ?? null });
  }
  return { repository, commit: parsed.data.sha, files };
}

/** Files at that commit; asks nothing before a file is read. */
export function openHub({ repository, commit, files }: HubManifest, options: HubOptions = {}): RemoteSource {
  const client = new HubClient(options);

  function fileAt(path: string): RemoteFile {
    const file = files.get(safePath(path));
    if (!file) throw new PlaygroundError('file-missing', `There is no ${path} in ${repository} at ${commit.slice(0, 8)}.`, 'Choose a model that has it, or another revision.');
    return file;
  }

  function stream(path: string, start: number, end: number): AsyncIterable<Uint8Array> {
    const file = fileAt(path);
    return client.bytes(`${repository}/resolve/${commit}/${path}`, path, repository, start, Math.min(end, file.bytes), file.bytes);
  }

  return {
    description: `${repository}@${commit.slice(0, 8)}`,
    files,
    stream,
    has: (path) => Promise.resolve(files.has(path)),
    async read(path) {
      const file = fileAt(path);
      if (file.bytes > MAX_WHOLE_FILE_BYTES) {
        throw new PlaygroundError('checkpoint-unsupported', `${path} of ${repository} has ${file.bytes} bytes, more than such a file should have.`, 'Choose another model.');
      }
      const content = await collect(stream(path, 0, file.bytes), file.bytes);
      if (file.sha256 !== null && (await sha256(content)) !== file.sha256) {
        throw new PlaygroundError('checkpoint-broken', `${path} of ${repository} arrived damaged.`, 'Try again.');
      }
      return content;
    },
    async readRange(path, start, end) {
      const last = Math.min(end, fileAt(path).bytes);
      return collect(stream(path, start, last), Math.max(0, last - start));
    },
  };
}

function isSafe(path: string): boolean {
  try {
    safePath(path);
    return true;
  } catch {
    return false;
  }
}

async function collect(pieces: AsyncIterable<Uint8Array>, length: number): Promise<Uint8Array> {
  const whole = new Uint8Array(length);
  let filled = 0;
  for await (const piece of pieces) {
    whole.set(piece, filled);
    filled += piece.length;
  }
  return whole;
}

async function sha256(content: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', content as Uint8Array<ArrayBuffer>);
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
