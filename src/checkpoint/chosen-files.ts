/** Files that the user dropped on the page or chose, as a source; read range by range, so that none is in memory whole. */
import { PlaygroundError } from '../runtime/errors.ts';
import type { FileSource } from './source.ts';

/** Later files of the same name replace earlier ones; folders are forgotten, because a model's files all lie in one. */
export function openChosenFiles(files: readonly File[]): FileSource {
  const byName = new Map(files.map((file) => [file.name, file]));

  async function bytes(path: string, start: number, end: number | undefined): Promise<Uint8Array> {
    const file = byName.get(path);
    if (!file) throw new PlaygroundError('file-missing', `There is no ${path} among the chosen files.`, 'Choose all files of the model together.');
    try {
      return new Uint8Array(await file.slice(start, end).arrayBuffer());
    } catch (cause) {
      throw new PlaygroundError('file-unreadable', `${path} cannot be read any more.`, 'It may have been moved or changed: choose the files again.', { cause });
    }
  }

  return {
    description: 'the chosen files',
    has: (path) => Promise.resolve(byName.has(path)),
    read: (path) => bytes(path, 0, undefined),
    readRange: bytes,
  };
}
