/** A folder as a source of files; Node only. */
import { open, readFile } from 'node:fs/promises';
import { join, normalize } from 'node:path';
import { PlaygroundError } from '../runtime/errors.ts';
import type { FileSource } from './source.ts';

export function openFolder(folder: string): FileSource {
  const place = (path: string): string => {
    const inside = normalize(path);
    if (inside.startsWith('..') || inside.startsWith('/')) throw new RangeError(`${path} is outside the folder`);
    return join(folder, inside);
  };
  const explained = async <T>(path: string, work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (cause) {
      if ((cause as { code?: unknown }).code !== 'ENOENT') throw cause;
      throw new PlaygroundError('file-missing', `There is no ${path} in ${folder}.`, 'Check the folder: it must hold a whole model repository.', { cause });
    }
  };
  return {
    description: folder,
    async read(path) {
      return new Uint8Array(await explained(path, readFile(place(path))));
    },
    async readRange(path, start, end) {
      const file = await explained(path, open(place(path)));
      try {
        const bytes = new Uint8Array(end - start);
        const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
        return bytes.subarray(0, bytesRead);
      } finally {
        await file.close();
      }
    },
  };
}
