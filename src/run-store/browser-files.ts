import type { Folders } from './folders.ts';
import { indexedDbBytes, indexedDbFiles, removeIndexedDb } from './indexeddb-files.ts';
import { noRoom, opfsBytes, opfsFiles, removeOpfs } from './opfs-files.ts';
import type { RunFiles } from './run-files.ts';

const OPFS: Folders = { open: opfsFiles, remove: removeOpfs, bytes: opfsBytes };
const INDEXED_DB: Folders = { open: indexedDbFiles, remove: removeIndexedDb, bytes: indexedDbBytes };

/** The best place that this browser has for folders; which of them it is shows when the first one is opened. */
export class BrowserFolders implements Folders {
  #place: Folders | null = null;

  async open(name: string): Promise<RunFiles> {
    try {
      if (this.#place !== null) return await this.#place.open(name);
      return await this.#first(name);
    } catch (error) {
      throw noRoom(error);
    }
  }

  async remove(name: string): Promise<void> {
    await this.#place?.remove(name);
  }

  async bytes(name: string): Promise<number> {
    return (await this.#place?.bytes(name)) ?? 0;
  }

  async #first(name: string): Promise<RunFiles> {
    try {
      const files = await OPFS.open(name);
      this.#place = OPFS;
      return files;
    } catch {
      const files = await INDEXED_DB.open(name);
      this.#place = INDEXED_DB;
      return files;
    }
  }
}
