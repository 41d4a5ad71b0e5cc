/** A place for the files of one run: a folder, or a browser's own storage. Names are plain, without folders. */
export interface RunFiles {
  /** Names of all files, in no particular order. */
  list(): Promise<string[]>;
  /** The whole file; null when there is none. */
  read(name: string): Promise<Uint8Array | null>;
  /** The whole file or nothing of it: what was there stays until the new one is complete. Throws a PlaygroundError when there is no room. */
  write(name: string, content: Uint8Array): Promise<void>;
  /** Nothing happens when there is no such file. */
  remove(name: string): Promise<void>;
}
