/** How fast bytes come, and how long the rest will take. */

/** Seconds that are looked back on: enough for a steady number, few enough to follow a network that has changed. */
const WINDOW = 8;

export class TransferRate {
  #marks: { seconds: number; bytes: number }[] = [];

  /** `bytes` that are there at a time in seconds. */
  add(seconds: number, bytes: number): void {
    this.#marks.push({ seconds, bytes });
    while ((this.#marks[1]?.seconds ?? seconds) <= seconds - WINDOW) this.#marks.shift();
  }

  /** Bytes a second; null before it can be known. */
  bytesPerSecond(): number | null {
    const [first, last] = [this.#marks[0], this.#marks.at(-1)];
    if (!first || !last || last.seconds <= first.seconds) return null;
    return (last.bytes - first.bytes) / (last.seconds - first.seconds);
  }
}
