import { indexedDbFiles } from './indexeddb-files.ts';
import { noRoom, opfsFiles } from './opfs-files.ts';
import type { RunFiles } from './run-files.ts';

/** The best place that this browser has for a run's files. Throws a PlaygroundError (`storage-refused`) where it has none. */
export async function browserFiles(folder: string): Promise<RunFiles> {
  try {
    return await opfsFiles(folder);
  } catch {
    try {
      return await indexedDbFiles(folder);
    } catch (error) {
      throw noRoom(error);
    }
  }
}
