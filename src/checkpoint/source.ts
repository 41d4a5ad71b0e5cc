/** Where a repository's files come from: a folder, a server, files dropped on the page. Paths are relative, with `/`. */
export interface FileSource {
  /** For messages, e.g. the address or the folder. */
  readonly description: string;
  /** The whole file. Throws a PlaygroundError with code `file-missing` when it does not exist. */
  read(path: string): Promise<Uint8Array>;
  /** Bytes [start, end) of the file. */
  readRange(path: string, start: number, end: number): Promise<Uint8Array>;
  /** Whether there is such a file; absent where only asking for the file would tell. */
  has?(path: string): Promise<boolean>;
}

/** What is known of a file before it is fetched. */
export interface RemoteFile {
  bytes: number;
  /** Hexadecimal; null where it is not known. */
  sha256: string | null;
}

/** A source whose files never change, are known beforehand, and can be streamed from any byte on. */
export interface RemoteSource extends FileSource {
  readonly files: ReadonlyMap<string, RemoteFile>;
  /** Bytes [start, end) in order, in pieces as they come; nothing is held. */
  stream(path: string, start: number, end: number): AsyncIterable<Uint8Array>;
}
