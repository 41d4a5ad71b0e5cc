import type { Job } from './protocol.ts';
import type { Result } from './types.ts';

/** An interpreter in its worker. */
export interface Interpreter {
  /** Of a fresh one, for those that start after it; null where it was started from one or there is none. */
  snapshot: Uint8Array | null;
  /** `flooded` is told of too much output while the program goes on. Throws only where the interpreter itself breaks. */
  run(job: Job, flooded: () => void): { result: Result; spent: boolean };
}

/** Imports the script at an address. */
export type ImportScript = (address: string) => Promise<{ default: unknown }>;
