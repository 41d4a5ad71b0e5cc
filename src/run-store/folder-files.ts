/** A run's files in a folder; Node only. */
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { safePath } from '../checkpoint/safe-path.ts';
import { PlaygroundError } from '../runtime/errors.ts';
import type { RunFiles } from './run-files.ts';

export function folderFiles(folder: string): RunFiles {
  const placeOf = (name: string): string => join(folder, safePath(name));
  return {
    list: () => readdir(folder).catch(orIfMissing<string[]>([])),
    // Node's own kind of array, whose slices are views, goes no further.
    read: (name) => readFile(placeOf(name)).then((bytes) => new Uint8Array(bytes), orIfMissing<Uint8Array | null>(null)),
    async write(name, content) {
      const place = placeOf(name);
      const temporary = `${place}.tmp`;
      try {
        await mkdir(folder, { recursive: true });
        const file = await open(temporary, 'w');
        try {
          await file.writeFile(content);
          // On the disk before it has its name, also when the machine dies in between.
          await file.datasync();
        } finally {
          await file.close();
        }
        await rename(temporary, place);
      } catch (cause) {
        // What there was room for would only be in the way.
        await rm(temporary, { force: true }).catch(() => undefined);
        const reason = cause instanceof Error ? cause.message : String(cause);
        throw new PlaygroundError('not-writable', `${place} cannot be written: ${reason}.`, 'Make room on the disk.', { cause });
      }
    },
    remove: (name) => rm(placeOf(name), { force: true }),
  };
}

/** Takes `instead` for what is not there, and rethrows everything else. */
function orIfMissing<T>(instead: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return instead;
    throw error;
  };
}
