/** Where a worker of the page finds problems: on the Hub, through what this browser has stored, and among the user's files that it keeps. */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { openOpfs, type OpfsStorage } from '../../checkpoint/opfs-storage.ts';
import { chosenFile } from '../../data/byte-file.ts';
import { dataServices, type DataAccess, type GivenFile } from '../../data/rows.ts';
import { PlaygroundError } from '../../runtime/errors.ts';
import type { TaskServices } from '../../tasks/services.ts';

/** Below it, a folder for each of the user's files, by the hash of its content. */
const FILES = 'data/files';
/** Bytes of a file that are read at once. */
const PIECE = 4 * 1024 * 1024;
/** A file beyond this is not copied into the browser's storage. */
const MAX_FILE_BYTES = 1024 * 1024 * 1024;

export async function pageAccess(token: string | null): Promise<DataAccess> {
  const storage = await storageOrNull();
  return { hub: { token: token ?? undefined }, storage, userFile: (hash) => (storage && hash !== undefined ? keptFile(storage, hash) : Promise.resolve(null)) };
}

export async function pageServices(token: string | null): Promise<TaskServices> {
  return dataServices(await pageAccess(token));
}

/** Hexadecimal. Throws a PlaygroundError (`data-too-large`, `file-unreadable`). */
export async function hashOf(file: File): Promise<string> {
  if (file.size > MAX_FILE_BYTES) {
    throw new PlaygroundError('data-too-large', `${file.name} has ${Math.round(file.size / 1e6)} MB; a page can take ${Math.round(MAX_FILE_BYTES / 1e6)}.`, 'Cut it into smaller files.');
  }
  const hash = sha256.create();
  for await (const piece of piecesOf(file)) hash.update(piece);
  return bytesToHex(hash.digest());
}

/** Copies the file to where the training worker finds it, also after a reload. Throws what the storage throws. */
export async function keepFile(file: File, hash: string): Promise<void> {
  const storage = await openOpfs();
  if (await keptFile(storage, hash)) return;
  const kept = await storage.openPartial(`${FILES}/${hash}/${file.name.replace(/[^\w.-]/g, '_').replace(/^\.+/, '').slice(-80)}`);
  try {
    await kept.empty();
    for await (const piece of piecesOf(file)) await kept.append(piece);
    await kept.complete();
  } finally {
    await kept.close();
  }
}

async function keptFile(storage: OpfsStorage, hash: string): Promise<GivenFile | null> {
  const found = (await storage.list(`${FILES}/${hash}`)).find(({ complete }) => complete);
  if (!found) return null;
  const place = `${FILES}/${hash}/${found.name}`;
  return { sha256: hash, file: { name: found.name, bytes: found.bytes, read: (start, end) => storage.readRange(place, start, end) } };
}

async function* piecesOf(file: File): AsyncGenerator<Uint8Array> {
  const { read } = chosenFile(file, file.name);
  for (let start = 0; start < file.size; start += PIECE) {
    try {
      yield await read(start, Math.min(start + PIECE, file.size));
    } catch (cause) {
      throw new PlaygroundError('file-unreadable', `${file.name} cannot be read any more.`, 'It may have been moved or changed: choose it again.', { cause });
    }
  }
}

/** Null where the browser gives the page no storage: then everything is fetched anew. */
async function storageOrNull(): Promise<OpfsStorage | null> {
  try {
    return await openOpfs();
  } catch (error) {
    if (error instanceof PlaygroundError) return null;
    throw error;
  }
}
