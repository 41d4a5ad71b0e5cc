/** Where a browser (or a test) keeps folders of files: one folder a run, and one for the index of all runs. */
import type { RunFiles } from './run-files.ts';

export interface Folders {
  /** The folder of that name, made where there is none. Throws a PlaygroundError where nothing can be stored. */
  open(name: string): Promise<RunFiles>;
  /** The folder with all that is in it; nothing happens where there is none. */
  remove(name: string): Promise<void>;
  /** Bytes of its files. */
  bytes(name: string): Promise<number>;
}
