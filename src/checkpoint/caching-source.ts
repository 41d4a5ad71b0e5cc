/** Remote files kept where they survive: each is fetched once, whole, checked, and from then on read range by range from there. */
import { PlaygroundError } from '../runtime/errors.ts';
import type { FileSource, RemoteFile, RemoteSource } from './source.ts';

/** Files by name (paths with `/`). A file is complete or it is not there; what has come of one so far is a partial file. */
export interface FileStorage {
  /** Bytes of a complete file; null when there is none. */
  size(name: string): Promise<number | null>;
  /** Bytes [start, end) of a complete file. */
  readRange(name: string, start: number, end: number): Promise<Uint8Array>;
  /** A complete file from bytes in memory; one that is there is replaced as a whole. */
  write(name: string, content: Uint8Array): Promise<void>;
  /** Opens what there is of a file that is not complete, or an empty one. */
  openPartial(name: string): Promise<PartialFile>;
}

export interface PartialFile {
  /** Bytes it holds. */
  readonly bytes: number;
  /** Adds at its end. */
  append(piece: Uint8Array): Promise<void>;
  /** Forgets all it holds. */
  empty(): Promise<void>;
  /** Hexadecimal, of all it holds. */
  sha256(): Promise<string>;
  /** Makes it a complete file. */
  complete(): Promise<void>;
  /** Closes it in any case; what it holds stays. */
  close(): Promise<void>;
}

export interface DownloadProgress {
  path: string;
  /** Bytes that are there, and bytes that the file has. */
  received: number;
  total: number;
}

/**
 * `folder` is where in the storage the files go; it must belong to this very version of them. A broken connection leaves a partial file,
 * and the next read goes on from there. Throws what the remote throws, and `checkpoint-broken` for a file that is damaged also when it
 * is fetched afresh.
 */
export function cachedSource(
  remote: RemoteSource,
  storage: FileStorage,
  folder: string,
  onProgress: (progress: DownloadProgress) => void = () => undefined,
): FileSource {
  const fetched = new Map<string, Promise<RemoteFile>>();

  /** Sees to it that the file is in the storage, whoever asks for it and however often at once. */
  function present(path: string): Promise<RemoteFile> {
    let promise = fetched.get(path);
    if (!promise) {
      promise = fetchFile(path);
      fetched.set(path, promise);
      // A failure must not be what the next attempt finds.
      promise.catch(() => fetched.delete(path));
    }
    return promise;
  }

  async function fetchFile(path: string): Promise<RemoteFile> {
    const file = remote.files.get(path);
    // The remote says what is wrong with a path that it does not have.
    if (!file) throw await remote.read(path).then(() => new RangeError(`${path} is not listed`), (error: unknown) => error);
    const name = `${folder}/${path}`;
    if ((await storage.size(name)) === file.bytes) return file;
    const partial = await storage.openPartial(name);
    try {
      if (partial.bytes > file.bytes) await partial.empty();
      const resumed = partial.bytes > 0;
      await download(path, file, partial);
      if (!(await isWhole(file, partial)) && resumed) {
        await partial.empty();
        await download(path, file, partial);
      }
      if (!(await isWhole(file, partial))) {
        await partial.empty();
        throw new PlaygroundError('checkpoint-broken', `${path} of ${remote.description} arrived damaged.`, 'Try again.');
      }
      await partial.complete();
    } finally {
      await partial.close();
    }
    return file;
  }

  async function download(path: string, file: RemoteFile, partial: PartialFile): Promise<void> {
    for await (const piece of remote.stream(path, partial.bytes, file.bytes)) {
      await partial.append(piece);
      onProgress({ path, received: partial.bytes, total: file.bytes });
    }
  }

  return {
    description: remote.description,
    has: (path) => Promise.resolve(remote.files.has(path)),
    async read(path) {
      const { bytes } = await present(path);
      return storage.readRange(`${folder}/${path}`, 0, bytes);
    },
    async readRange(path, start, end) {
      const { bytes } = await present(path);
      return storage.readRange(`${folder}/${path}`, start, Math.max(start, Math.min(end, bytes)));
    },
  };
}

async function isWhole(file: RemoteFile, partial: PartialFile): Promise<boolean> {
  return partial.bytes === file.bytes && (file.sha256 === null || file.sha256 === (await partial.sha256()));
}
