/** Runs the command line as a user does, in a process of its own, and reads what it wrote. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RunResult } from '../../src/cli/result.ts';
import type { MetricRow } from '../../src/marft/records.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A finished run's folder. Deleted when disposed. */
export class FinishedRun {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  get result(): RunResult {
    return JSON.parse(this.read('result.json')) as RunResult;
  }

  get metrics(): MetricRow[] {
    return this.read('metrics.jsonl').trimEnd().split('\n').map((line) => JSON.parse(line) as MetricRow);
  }

  read(file: string): string {
    return readFileSync(join(this.#folder, file), 'utf8');
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** `npm run --silent marft -- run …`, into a temporary folder. Rejects with what was printed when it fails. */
export async function marftRun(...args: string[]): Promise<FinishedRun> {
  const folder = mkdtempSync(join(tmpdir(), 'marft-run-'));
  const child = spawn('npm', ['run', '--silent', 'marft', '--', 'run', ...args, '--out', folder], { cwd: ROOT });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  if (code !== 0) throw new Error(`exit code ${code}\n${printed}`);
  return new FinishedRun(folder);
}

/** What must be the same in two runs of one experiment: everything but times and speeds. */
export function withoutTimes(rows: readonly MetricRow[]): Record<string, number>[] {
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).filter(([name]) => !name.startsWith('time/') && !name.endsWith('tok_per_s'))),
  );
}
