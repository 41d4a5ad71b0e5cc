/** Where a repository's files come from: a folder, a server, files dropped on the page. Paths are relative, with `/`. */
export interface FileSource {
  /** For messages, e.g. the address or the folder. */
  readonly description: string;
  /** The whole file. Throws a PlaygroundError with code `file-missing` when it does not exist. */
  read(path: string): Promise<Uint8Array>;
  /** Bytes [start, end) of the file. */
  readRange(path: string, start: number, end: number): Promise<Uint8Array>;
}
