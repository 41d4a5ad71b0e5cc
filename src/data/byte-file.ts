/** A file of which only pieces are read: on a disk, among what the user chose, or on the Hub. */
export interface ByteFile {
  name: string;
  bytes: number;
  /** Bytes [start, end). */
  read(start: number, end: number): Promise<Uint8Array>;
}

/** One that the user chose in the page, or that lies in a browser's storage. */
export function chosenFile(file: Blob, name: string): ByteFile {
  return { name, bytes: file.size, read: async (start, end) => new Uint8Array(await file.slice(start, end).arrayBuffer()) };
}
