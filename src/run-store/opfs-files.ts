/** A run's files in the browser's own file system for this page (OPFS). */
import { PlaygroundError } from '../runtime/errors.ts';
import type { RunFiles } from './run-files.ts';

/** Throws what the browser throws where it has no such file system or refuses it. */
export async function opfsFiles(folder: string): Promise<RunFiles> {
  const root = await navigator.storage.getDirectory();
  // Without it a file that is written cannot replace another one as a whole.
  if (!('createWritable' in FileSystemFileHandle.prototype)) throw new TypeError('files cannot be replaced here');
  const directory = await root.getDirectoryHandle(folder, { create: true });
  return {
    async list() {
      const names: string[] = [];
      for await (const name of directory.keys()) names.push(name);
      return names;
    },
    async read(name) {
      try {
        const file = await (await directory.getFileHandle(name)).getFile();
        return new Uint8Array(await file.arrayBuffer());
      } catch (error) {
        if (isMissing(error)) return null;
        throw noRoom(error);
      }
    },
    async write(name, content) {
      try {
        // What is written goes to a copy that takes the file's place when it is closed.
        const stream = await (await directory.getFileHandle(name, { create: true })).createWritable();
        await stream.write(content as Uint8Array<ArrayBuffer>);
        await stream.close();
      } catch (error) {
        throw noRoom(error);
      }
    },
    async remove(name) {
      await directory.removeEntry(name).catch((error: unknown) => {
        if (!isMissing(error)) throw noRoom(error);
      });
    },
  };
}

/** The folder and all its files. */
export async function removeOpfs(folder: string): Promise<void> {
  const root = await navigator.storage.getDirectory();
  await root.removeEntry(folder, { recursive: true }).catch((error: unknown) => {
    if (!isMissing(error)) throw noRoom(error);
  });
}

/** Bytes of all its files. */
export async function opfsBytes(folder: string): Promise<number> {
  const directory = await (await navigator.storage.getDirectory()).getDirectoryHandle(folder, { create: true });
  let bytes = 0;
  for await (const entry of directory.values()) if (entry instanceof FileSystemFileHandle) bytes += (await entry.getFile()).size;
  return bytes;
}

function isMissing(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'NotFoundError';
}

/** What the storage's own errors mean to a user. */
export function noRoom(cause: unknown): PlaygroundError {
  if (cause instanceof PlaygroundError) return cause;
  if (cause instanceof DOMException && cause.name === 'QuotaExceededError') {
    return new PlaygroundError('storage-full', 'The browser has no more room for this page.', 'Delete runs that you no longer need, or make room on the disk.', { cause });
  }
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new PlaygroundError('storage-refused', `The browser stores nothing for this page: ${reason.replace(/\.$/, '')}.`, 'Private windows and blocked site data do that.', { cause });
}
