/** The browser's file system in memory, as far as the storage uses it, and what becomes of it when it misbehaves. */
import { describe, expect, it } from 'vitest';
import { openOpfs, opfsStorage } from '../../../src/checkpoint/opfs-storage.ts';
import { refusal } from './files.ts';

interface Misbehaviour {
  /** Bytes after which writing finds no room, as Chromium tells it. */
  room: number;
  locked: boolean;
}

class MemoryFile {
  readonly kind = 'file';
  content = new Uint8Array(0);

  constructor(private readonly misbehaviour: Misbehaviour) {}

  getFile(): Promise<Blob> {
    return Promise.resolve(new Blob([this.content]));
  }

  createSyncAccessHandle(): Promise<object> {
    if (this.misbehaviour.locked) return Promise.reject(new DOMException('locked', 'NoModificationAllowedError'));
    return Promise.resolve({
      getSize: () => this.content.length,
      truncate: (size: number) => (this.content = this.content.slice(0, size)),
      read: (into: Uint8Array, { at }: { at: number }) => {
        const piece = this.content.subarray(at, at + into.length);
        into.set(piece);
        return piece.length;
      },
      write: (piece: Uint8Array, { at }: { at: number }) => {
        const fits = piece.subarray(0, Math.max(0, this.misbehaviour.room - at));
        const grown = new Uint8Array(Math.max(this.content.length, at + fits.length));
        grown.set(this.content);
        grown.set(fits, at);
        this.content = grown;
        return fits.length === piece.length ? fits.length : 2 ** 32 - 8;
      },
      flush: () => undefined,
      close: () => undefined,
    });
  }
}

class MemoryFolder {
  readonly kind = 'directory';
  readonly #entries = new Map<string, MemoryFolder | MemoryFile>();

  constructor(private readonly misbehaviour: Misbehaviour) {}

  getDirectoryHandle(name: string, { create = false } = {}): Promise<MemoryFolder> {
    return this.#get(name, create, MemoryFolder);
  }

  getFileHandle(name: string, { create = false } = {}): Promise<MemoryFile> {
    return this.#get(name, create, MemoryFile);
  }

  removeEntry(name: string): Promise<void> {
    if (this.#entries.delete(name)) return Promise.resolve();
    return Promise.reject(new DOMException(name, 'NotFoundError'));
  }

  async *entries(): AsyncGenerator<[string, MemoryFolder | MemoryFile]> {
    yield* this.#entries;
  }

  #get<T extends MemoryFolder | MemoryFile>(name: string, create: boolean, kind: new (misbehaviour: Misbehaviour) => T): Promise<T> {
    if (!this.#entries.has(name) && create) this.#entries.set(name, new kind(this.misbehaviour));
    const entry = this.#entries.get(name);
    if (entry instanceof kind) return Promise.resolve(entry);
    return Promise.reject(new DOMException(name, entry ? 'TypeMismatchError' : 'NotFoundError'));
  }
}

function setUp() {
  const misbehaviour: Misbehaviour = { room: Infinity, locked: false };
  const root = new MemoryFolder(misbehaviour) as unknown as FileSystemDirectoryHandle;
  return { misbehaviour, storage: opfsStorage(root), reopened: () => opfsStorage(root) };
}

const NAME = 'hub/owner--name/model.safetensors';

describe('the browser’s storage', () => {
  it('holds a file as complete only once it was completed, and goes on with what there is after a reload', async () => {
    const { storage, reopened } = setUp();
    const first = await storage.openPartial(NAME);
    await first.append(Uint8Array.of(1, 2, 3));
    await first.close();
    expect(await storage.size(NAME)).toBeNull();
    expect(await refusal(() => storage.readRange(NAME, 0, 3))).toBe('file-missing');
    expect(await storage.list('hub')).toEqual([{ name: 'owner--name/model.safetensors', bytes: 3, complete: false }]);

    const second = await reopened().openPartial(NAME);
    expect(second.bytes).toBe(3);
    await second.append(Uint8Array.of(4));
    expect(await second.sha256()).toBe('9f64a747e1b97f131fabb6b447296c9b6f0201e79fb3c5356e6c77e89b6a806a');
    await second.complete();
    await second.close();
    expect(await storage.size(NAME)).toBe(4);
    expect(await storage.readRange(NAME, 1, 9)).toEqual(Uint8Array.of(2, 3, 4));
  });

  it('replaces a file, and deletes a folder with all that is in it', async () => {
    const { storage } = setUp();
    await storage.write(NAME, Uint8Array.of(1, 2, 3));
    await storage.write(NAME, Uint8Array.of(7));
    expect(await storage.readRange(NAME, 0, 9)).toEqual(Uint8Array.of(7));
    await storage.remove('hub/owner--name');
    await storage.remove('hub/owner--name');
    expect(await storage.size(NAME)).toBeNull();
    expect(await storage.list('hub')).toEqual([]);
  });

  it('says when there is no room, also where the browser only returns an impossible count, and keeps what came before', async () => {
    const { storage, misbehaviour } = setUp();
    const file = await storage.openPartial(NAME);
    await file.append(new Uint8Array(10));
    misbehaviour.room = 15;
    expect(await refusal(() => file.append(new Uint8Array(10)))).toBe('storage-full');
    await file.close();
    expect((await storage.openPartial(NAME)).bytes).toBe(10);
  });

  it('says when another tab holds the file, and when there is no storage', async () => {
    const { storage, misbehaviour } = setUp();
    misbehaviour.locked = true;
    expect(await refusal(() => storage.openPartial(NAME))).toBe('storage-busy');
    // Node has no such storage.
    expect(await refusal(() => openOpfs())).toBe('storage-refused');
  });

  it('leaves no folder above it', async () => {
    const { storage } = setUp();
    await expect(storage.openPartial('../other')).rejects.toThrow(RangeError);
  });
});
