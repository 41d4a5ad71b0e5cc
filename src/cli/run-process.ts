/** One run in a process of its own: a crash or a leak in it is that run's alone. */
import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../scripts/marft.mjs', import.meta.url));

/** Of what a run complained, as much as a reason may be long. */
const KEPT_COMPLAINTS = 2000;

export class RunProcesses {
  readonly #running = new Set<ChildProcess>();

  /** Runs `marft run …` with these arguments; null when it came to its end, otherwise what it complained of. */
  async run(args: readonly string[]): Promise<string | null> {
    const child = spawn(process.execPath, [PROGRAM, 'run', ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
    this.#running.add(child);
    let complaints = '';
    child.stderr.on('data', (chunk: Buffer) => (complaints = (complaints + chunk.toString()).slice(-KEPT_COMPLAINTS)));
    try {
      const code = await new Promise<number | null>((resolve, reject) => {
        child.on('error', reject);
        child.on('close', resolve);
      });
      return code === 0 ? null : complaints.trim() || `The run ended with exit code ${code ?? 'unknown'}.`;
    } finally {
      this.#running.delete(child);
    }
  }

  /** Asks every run to end. */
  stop(): void {
    for (const child of this.#running) child.kill('SIGTERM');
  }
}
