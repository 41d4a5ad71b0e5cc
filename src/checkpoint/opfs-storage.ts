/**
 * The browser's private file system of this origin as a storage of files; in a dedicated worker only. A complete file has an empty file
 * beside it that says so, written last: whatever ends the page in between leaves a file that is not complete.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { PlaygroundError } from '../runtime/errors.ts';
import type { FileStorage, PartialFile } from './caching-source.ts';
import { safePath } from './safe-path.ts';

export interface StoredFile {
  /** Its name from the folder that was asked for, with `/`. */
  name: string;
  bytes: number;
  complete: boolean;
}

export interface OpfsStorage extends FileStorage {
  /** All files below a folder; none where there is no such folder. */
  list(folder: string): Promise<StoredFile[]>;
  /** Deletes a file with its mark, or a folder with all that is in it; nothing happens where there is none. */
  remove(name: string): Promise<void>;
}

/** Everything lies below this folder, so that the rest of the origin's files is left alone. */
const ROOT = 'models';
const MARK = '.complete';
/** Bytes of a file that are read at once to hash it. */
const HASH_PIECE = 4 * 1024 * 1024;

/** Throws a PlaygroundError (`storage-refused`) where the browser gives the page no storage. */
export async function openOpfs(): Promise<OpfsStorage> {
  let root: FileSystemDirectoryHandle;
  try {
    root = await (await navigator.storage.getDirectory()).getDirectoryHandle(ROOT, { create: true });
  } catch (cause) {
    throw new PlaygroundError(
      'storage-refused',
      'This browser does not let the page store files here, as in a private window.',
      'Open the page in an ordinary window and allow it to store data; a model can also be used without being stored.',
      { cause },
    );
  }
  return opfsStorage(root);
}

/** A storage below `root`. Its functions throw PlaygroundErrors (`storage-full`, `storage-busy`, `storage-failed`). */
export function opfsStorage(root: FileSystemDirectoryHandle): OpfsStorage {
  const storage: OpfsStorage = {
    size: (name) =>
      explained(async () => {
        if (!(await find(root, name + MARK))) return null;
        const file = await find(root, name);
        return file ? (await file.getFile()).size : null;
      }),
    readRange: (name, start, end) =>
      explained(async () => {
        const file = (await find(root, name + MARK)) && (await find(root, name));
        // A page may have been deprived of its files at any time.
        if (!file) throw new PlaygroundError('file-missing', `${name} is no longer stored in this browser.`, 'Download the model again.');
        return new Uint8Array(await (await file.getFile()).slice(start, end).arrayBuffer());
      }),
    async write(name, content) {
      const file = await storage.openPartial(name);
      try {
        await file.empty();
        await file.append(content);
        await file.complete();
      } finally {
        await file.close();
      }
    },
    openPartial: (name) =>
      explained(async () => {
        const folder = await folderOf(root, name, true);
        if (!folder) throw new RangeError(`${name} has no folder`);
        // A complete file that is opened to be changed is complete no more.
        await removeEntry(folder, fileName(name) + MARK);
        const file = await folder.getFileHandle(fileName(name), { create: true });
        return partialFile(await file.createSyncAccessHandle(), () => folder.getFileHandle(fileName(name) + MARK, { create: true }));
      }),
    list: (folder) =>
      explained(async () => {
        const found = await folderAt(root, folder.split('/'), false);
        return found ? collect(found, '') : [];
      }),
    remove: (name) =>
      explained(async () => {
        const folder = await folderOf(root, name, false);
        if (!folder) return;
        // The mark first: what is left when this is interrupted is not complete.
        await removeEntry(folder, fileName(name) + MARK);
        await removeEntry(folder, fileName(name));
      }),
  };
  return storage;
}

/** `mark` makes the mark of a complete file. */
function partialFile(handle: FileSystemSyncAccessHandle, mark: () => Promise<unknown>): PartialFile {
  let bytes = handle.getSize();
  return {
    get bytes() {
      return bytes;
    },
    append: (piece) =>
      explained(() => {
        for (let done = 0; done < piece.length; ) {
          const rest = piece.subarray(done) as Uint8Array<ArrayBuffer>;
          const written = handle.write(rest, { at: bytes });
          // Chromium throws nothing where there is no room: it returns an impossible count, after writing what found room.
          if (written === 0 || written > rest.length) {
            handle.truncate(bytes);
            throw new DOMException('there is no room', 'QuotaExceededError');
          }
          done += written;
          bytes += written;
        }
      }),
    empty: () =>
      explained(() => {
        handle.truncate(0);
        bytes = 0;
      }),
    sha256: () =>
      explained(() => {
        const hash = sha256.create();
        const piece = new Uint8Array(HASH_PIECE);
        for (let at = 0; at < bytes; ) {
          const count = handle.read(piece, { at });
          if (count === 0) break;
          hash.update(piece.subarray(0, count));
          at += count;
        }
        return bytesToHex(hash.digest());
      }),
    complete: () =>
      explained(async () => {
        handle.flush();
        await mark();
      }),
    close: () => Promise.resolve(handle.close()),
  };
}

async function collect(folder: FileSystemDirectoryHandle, prefix: string): Promise<StoredFile[]> {
  const files = new Map<string, number>();
  const marks = new Set<string>();
  const below: StoredFile[] = [];
  for await (const [name, entry] of folder.entries()) {
    if (entry.kind === 'directory') below.push(...(await collect(entry as FileSystemDirectoryHandle, `${prefix}${name}/`)));
    else if (name.endsWith(MARK)) marks.add(name.slice(0, -MARK.length));
    else files.set(name, (await (entry as FileSystemFileHandle).getFile()).size);
  }
  return [...[...files].map(([name, bytes]) => ({ name: prefix + name, bytes, complete: marks.has(name) })), ...below];
}

async function find(root: FileSystemDirectoryHandle, name: string): Promise<FileSystemFileHandle | null> {
  const folder = await folderOf(root, name, false);
  return folder ? orNull(() => folder.getFileHandle(fileName(name))) : null;
}

function folderOf(root: FileSystemDirectoryHandle, name: string, create: boolean): Promise<FileSystemDirectoryHandle | null> {
  return folderAt(root, safePath(name).split('/').slice(0, -1), create);
}

async function folderAt(root: FileSystemDirectoryHandle, path: readonly string[], create: boolean): Promise<FileSystemDirectoryHandle | null> {
  let folder: FileSystemDirectoryHandle | null = root;
  for (const name of path) {
    const parent: FileSystemDirectoryHandle = folder;
    folder = await orNull(() => parent.getDirectoryHandle(name, { create }));
    if (!folder) return null;
  }
  return folder;
}

function fileName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

async function removeEntry(folder: FileSystemDirectoryHandle, name: string): Promise<void> {
  await orNull(() => folder.removeEntry(name, { recursive: true }));
}

/** Null for what does not exist, or is a folder where a file was looked for. */
async function orNull<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (nameOf(error) === 'NotFoundError' || nameOf(error) === 'TypeMismatchError') return null;
    throw error;
  }
}

async function explained<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof PlaygroundError || cause instanceof RangeError) throw cause;
    switch (nameOf(cause)) {
      case 'QuotaExceededError':
        throw new PlaygroundError('storage-full', 'The browser gives this page no more room to store files.', 'Delete stored models that you no longer need, or make room on the disk; what has come so far is kept.', { cause });
      case 'NoModificationAllowedError':
        throw new PlaygroundError('storage-busy', 'Another tab of this page is working on the same file.', 'Wait until it is done there, or close that tab.', { cause });
      default:
        throw new PlaygroundError('storage-failed', `The browser’s storage failed: ${cause instanceof Error ? cause.message : String(cause)}.`, 'Reload the page and try again; the browser may have cleared what was stored.', { cause });
    }
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error || error instanceof DOMException ? error.name : '';
}
