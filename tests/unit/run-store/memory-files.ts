/** A run's files in memory, with faults on demand. */
import { PlaygroundError } from '../../../src/runtime/errors.ts';
import type { RunFiles } from '../../../src/run-store/run-files.ts';

export class MemoryFiles implements RunFiles {
  readonly files = new Map<string, Uint8Array>();
  /** Writes succeed this many times more; then the process is dead, or the disk is full. */
  writesLeft = Infinity;

  list(): Promise<string[]> {
    return Promise.resolve([...this.files.keys()]);
  }

  read(name: string): Promise<Uint8Array | null> {
    return Promise.resolve(this.files.get(name) ?? null);
  }

  write(name: string, content: Uint8Array): Promise<void> {
    if (this.writesLeft-- <= 0) return Promise.reject(new PlaygroundError('not-writable', 'The disk is full.', 'Make room.'));
    this.files.set(name, content.slice());
    return Promise.resolve();
  }

  remove(name: string): Promise<void> {
    this.files.delete(name);
    return Promise.resolve();
  }
}
