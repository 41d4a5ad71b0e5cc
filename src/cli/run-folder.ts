/**
 * The files that a run leaves behind. Lines are written as they come, so that a run that dies leaves whole lines; other
 * files appear at once and whole, by writing a temporary file and renaming it.
 */
import { appendFileSync, closeSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PlaygroundError } from '../runtime/errors.ts';

const METRICS = 'metrics.jsonl';
const TRANSCRIPTS = 'transcripts.jsonl';
const RESULT = 'result.json';
const ADAPTERS = 'adapters';

export class RunFolder {
  readonly #metrics: number;
  readonly #transcripts: number;

  /** Makes the folder; an earlier run's files in it are replaced, and nothing else is touched. */
  constructor(readonly path: string) {
    try {
      mkdirSync(path, { recursive: true });
      // An earlier run's result beside this run's metrics would be taken for this run's.
      rmSync(join(path, RESULT), { force: true });
      rmSync(join(path, ADAPTERS), { force: true, recursive: true });
      this.#metrics = openSync(join(path, METRICS), 'w');
      this.#transcripts = openSync(join(path, TRANSCRIPTS), 'w');
    } catch (cause) {
      throw notWritable(path, cause);
    }
  }

  addMetrics(row: object): void {
    this.#addLine(this.#metrics, JSON.stringify(row));
  }

  addTranscript(episode: object): void {
    this.#addLine(this.#transcripts, JSON.stringify(episode, singlePrecision));
  }

  writeExperiment(experiment: object): void {
    this.#writeWhole('experiment.json', `${JSON.stringify(experiment, null, 2)}\n`);
  }

  writeResult(result: object): void {
    this.#writeWhole(RESULT, `${JSON.stringify(result, null, 2)}\n`);
  }

  /** Files of one agent's adapter by their names. */
  writeAdapter(agent: string, files: ReadonlyMap<string, Uint8Array>): void {
    for (const [name, content] of files) this.#writeWhole(join(ADAPTERS, agent, name), content);
  }

  close(): void {
    closeSync(this.#metrics);
    closeSync(this.#transcripts);
  }

  #addLine(file: number, line: string): void {
    try {
      appendFileSync(file, `${line}\n`);
    } catch (cause) {
      throw notWritable(this.path, cause);
    }
  }

  #writeWhole(name: string, content: string | Uint8Array): void {
    const path = join(this.path, name);
    try {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(`${path}.tmp`, content);
      renameSync(`${path}.tmp`, path);
    } catch (cause) {
      throw notWritable(path, cause);
    }
  }
}

/** Per-token numbers are computed in f32, of which seven digits say all; more would double the file. */
function singlePrecision(_key: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(7)) : value;
}

function notWritable(path: string, cause: unknown): PlaygroundError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new PlaygroundError('not-writable', `${path} cannot be written: ${reason}.`, 'Choose another folder with --out, or make room on the disk.', { cause });
}
