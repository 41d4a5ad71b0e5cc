import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs';

/** A file of lines. A line for which there is no room waits in memory, and is written with the next. */
export class LineFile {
  readonly #file: number;
  #bytes: number;
  #waiting = '';

  /** Goes on after the first `bytes` of the file and cuts off the rest; null: a new file. Throws when it cannot be opened. */
  constructor(path: string, bytes: number | null) {
    this.#file = openSync(path, bytes === null ? 'w' : 'r+');
    this.#bytes = bytes ?? 0;
    ftruncateSync(this.#file, this.#bytes);
  }

  /** Bytes of all whole lines. */
  get bytes(): number {
    return this.#bytes;
  }

  add(line: string): void {
    this.#waiting += `${line}\n`;
    this.#write();
  }

  /** Writes what is waiting. Throws the system's error when there is still no room. */
  flush(): void {
    const problem = this.#write();
    if (problem !== null) throw problem;
  }

  /** Leaves whole lines, whether or not all could be written. */
  close(): void {
    if (this.#write() !== null) ftruncateSync(this.#file, this.#bytes);
    closeSync(this.#file);
  }

  /** Part of a line may be written before room runs out: the next attempt writes over it. */
  #write(): Error | null {
    const content = Buffer.from(this.#waiting);
    try {
      for (let done = 0; done < content.length; ) done += writeSync(this.#file, content, done, content.length - done, this.#bytes + done);
    } catch (error) {
      if (error instanceof Error) return error;
      throw error;
    }
    this.#bytes += content.length;
    this.#waiting = '';
    return null;
  }
}
