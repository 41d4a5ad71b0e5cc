/** A folder as a source of files; Node only. */
import { access, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PlaygroundError } from '../runtime/errors.ts';
import { safePath } from './safe-path.ts';
import type { FileSource } from './source.ts';

/** What the operating system calls a file, or a folder on the way to it, that does not exist. */
const MISSING = ['ENOENT', 'ENOTDIR'];

export function openFolder(folder: string): FileSource {
  const explained = async <T>(path: string, work: (place: string) => Promise<T>): Promise<T> => {
    const place = join(folder, safePath(path));
    try {
      return await work(place);
    } catch (cause) {
      const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
      if (MISSING.includes(code)) {
        throw new PlaygroundError('file-missing', `There is no ${path} in ${folder}.`, 'Check the folder: it must hold a whole model repository.', { cause });
      }
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new PlaygroundError('file-unreadable', `${path} in ${folder} cannot be read: ${reason}.`, 'Check that it is a file you may read.', { cause });
    }
  };
  return {
    description: folder,
    has: (path) =>
      access(join(folder, safePath(path))).then(
        () => true,
        () => false,
      ),
    read: (path) => explained(path, async (place) => new Uint8Array(await readFile(place))),
    readRange: (path, start, end) =>
      explained(path, async (place) => {
        const file = await open(place);
        try {
          return await readFully(file, start, end);
        } finally {
          await file.close();
        }
      }),
  };
}

/** Bytes [start, end), fewer only where the file ends: one system call may return less than was asked, above 2 GiB always. */
async function readFully(file: Awaited<ReturnType<typeof open>>, start: number, end: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(end - start);
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, start + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}
