/** A run's files in IndexedDB, for browsers without a file system of their own. */
import { noRoom } from './opfs-files.ts';
import type { RunFiles } from './run-files.ts';

const STORE = 'files';

/** Throws what the browser throws where it refuses. */
export async function indexedDbFiles(name: string): Promise<RunFiles> {
  const opening = indexedDB.open(name, 1);
  opening.onupgradeneeded = () => void opening.result.createObjectStore(STORE);
  const database = await settled(opening);
  // A folder that is to be removed must not wait for whoever once looked into it.
  database.onversionchange = () => database.close();

  /** Resolves when what was asked for is durable, or rejects and nothing of it is done. */
  async function within<T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
    try {
      const transaction = database.transaction(STORE, mode);
      const done = new Promise<void>((resolve, reject) => {
        transaction.oncomplete = () => resolve();
        transaction.onabort = () => reject(transaction.error ?? new DOMException('The transaction was given up.', 'AbortError'));
      });
      const [result] = await Promise.all([settled(work(transaction.objectStore(STORE))), done]);
      return result;
    } catch (error) {
      throw noRoom(error);
    }
  }

  return {
    list: async () => (await within('readonly', (store) => store.getAllKeys())).map(String),
    async read(file) {
      const content: unknown = await within('readonly', (store) => store.get(file));
      return content instanceof Uint8Array ? content : null;
    },
    write: async (file, content) => void (await within('readwrite', (store) => store.put(content.slice(), file))),
    remove: (file) => within('readwrite', (store) => store.delete(file)),
  };
}

/** The folder and all its files. */
export async function removeIndexedDb(name: string): Promise<void> {
  await settled(indexedDB.deleteDatabase(name));
}

/** Bytes of all its files. */
export async function indexedDbBytes(name: string): Promise<number> {
  const files = await indexedDbFiles(name);
  const sizes = await Promise.all((await files.list()).map(async (file) => (await files.read(file))?.length ?? 0));
  return sizes.reduce((sum, one) => sum + one, 0);
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new DOMException('The database is not available.', 'UnknownError'));
  });
}
