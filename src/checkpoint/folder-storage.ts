/** A folder as a storage of files; Node only. Complete files have their own names, partial ones end in `.partial`. */
import { createHash } from 'node:crypto';
import { mkdir, open, rename, stat, writeFile, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PlaygroundError } from '../runtime/errors.ts';
import type { FileStorage, PartialFile } from './caching-source.ts';
import { openFolder } from './folder-source.ts';
import { safePath } from './safe-path.ts';

/** Bytes of a partial file that are read at once to hash it. */
const HASH_PIECE = 4 * 1024 * 1024;

export function folderStorage(folder: string): FileStorage {
  const source = openFolder(folder);
  const placeOf = (name: string): string => join(folder, safePath(name));
  return {
    size: (name) =>
      explained(folder, async () => {
        const found = await stat(placeOf(name)).catch((error: unknown) => {
          if (isMissing(error)) return null;
          throw error;
        });
        return found?.isFile() ? found.size : null;
      }),
    readRange: (name, start, end) => source.readRange(name, start, end),
    async write(name, content) {
      const place = placeOf(name);
      // A name of its own, so that two programs that write the same file do not write into each other's.
      const temporary = `${place}.${process.pid}.tmp`;
      await explained(folder, async () => {
        await mkdir(dirname(place), { recursive: true });
        await writeFile(temporary, content);
        await rename(temporary, place);
      });
    },
    openPartial: (name) => explained(folder, () => openPartial(folder, placeOf(name))),
  };
}

/** Several programs may write the same partial file at once: each puts the same bytes at the same places. */
async function openPartial(folder: string, place: string): Promise<PartialFile> {
  const temporary = `${place}.partial`;
  await mkdir(dirname(place), { recursive: true });
  const file = await openOrCreate(temporary);
  let bytes = (await file.stat()).size;
  return {
    get bytes() {
      return bytes;
    },
    append: (piece) =>
      explained(folder, async () => {
        for (let done = 0; done < piece.length; ) done += (await file.write(piece, done, piece.length - done, bytes + done)).bytesWritten;
        bytes += piece.length;
      }),
    async empty() {
      await file.truncate(0);
      bytes = 0;
    },
    async sha256() {
      const hash = createHash('sha256');
      const piece = new Uint8Array(HASH_PIECE);
      for (let position = 0; position < bytes; ) {
        const { bytesRead } = await file.read(piece, 0, Math.min(piece.length, bytes - position), position);
        if (bytesRead === 0) break;
        hash.update(piece.subarray(0, bytesRead));
        position += bytesRead;
      }
      return hash.digest('hex');
    },
    complete: () =>
      explained(folder, async () => {
        // On the disk before it has its name, also when the machine dies in between.
        await file.sync();
        await rename(temporary, place).catch(async (error: unknown) => {
          // Another program was first with the same file.
          if (!isMissing(error) || (await stat(place)).size !== bytes) throw error;
        });
      }),
    close: () => file.close(),
  };
}

async function openOrCreate(place: string): Promise<FileHandle> {
  try {
    return await open(place, 'r+');
  } catch (error) {
    if (!isMissing(error)) throw error;
    return open(place, 'w+');
  }
}

async function explained<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof PlaygroundError || cause instanceof RangeError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new PlaygroundError('not-writable', `The cache in ${folder} cannot be written: ${reason}.`, 'Make room on the disk, or choose another folder with --cache.', { cause });
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}
