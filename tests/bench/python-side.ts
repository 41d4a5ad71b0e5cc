/** A Python process that takes commands by the line and answers each with a line of JSON. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

export class PythonSide {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: AsyncIterator<string>;

  constructor(python: string, args: readonly string[]) {
    this.#child = spawn(python, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** The next line of JSON. Rejects where the process has ended: what it had to say stands on standard error. */
  async answer(): Promise<Record<string, unknown>> {
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error('the Python side has ended');
    return JSON.parse(value) as Record<string, unknown>;
  }

  ask(command: string): Promise<Record<string, unknown>> {
    this.#child.stdin.write(`${command}\n`);
    return this.answer();
  }

  close(): void {
    this.#child.stdin.end();
  }
}
