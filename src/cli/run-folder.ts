/**
 * The files that a run leaves behind. Lines are written as they come, so that a run that dies leaves whole lines; other
 * files appear at once and whole, by writing a temporary file and renaming it.
 */
import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { folderFiles } from '../run-store/folder-files.ts';
import type { RunFiles } from '../run-store/run-files.ts';
import { PlaygroundError } from '../runtime/errors.ts';
import { LineFile } from './line-file.ts';

const METRICS = 'metrics.jsonl';
const TRANSCRIPTS = 'transcripts.jsonl';
const RESULT = 'result.json';
const ADAPTERS = 'adapters';
const CHECKPOINTS = 'checkpoints';

/** How far the two files of lines had come, in bytes. */
export interface LogLengths {
  metrics: number;
  transcripts: number;
}

/** The checkpoints of the run in a folder. */
export function checkpointFiles(path: string): RunFiles {
  return folderFiles(join(path, CHECKPOINTS));
}

/** Why the files of lines cannot be gone on with from there; null when they can. */
export function missingLines(path: string, lengths: LogLengths): string | null {
  const files = [[METRICS, lengths.metrics], [TRANSCRIPTS, lengths.transcripts]] as const;
  const short = files.find(([name, bytes]) => (statSync(join(path, name), { throwIfNoEntry: false })?.size ?? 0) < bytes);
  return short === undefined ? null : `${short[0]} is shorter than it was then.`;
}

export class RunFolder {
  readonly #metrics: LineFile;
  readonly #transcripts: LineFile;

  /** Makes the folder; an earlier run's files in it are replaced, or gone on with from `resumed`, and nothing else is touched. */
  constructor(
    readonly path: string,
    resumed: LogLengths | null = null,
  ) {
    try {
      mkdirSync(path, { recursive: true });
      // An earlier run's result beside this run's metrics would be taken for this run's.
      rmSync(join(path, RESULT), { force: true });
      rmSync(join(path, ADAPTERS), { force: true, recursive: true });
      if (resumed === null) rmSync(join(path, CHECKPOINTS), { force: true, recursive: true });
      this.#metrics = new LineFile(join(path, METRICS), resumed?.metrics ?? null);
      this.#transcripts = new LineFile(join(path, TRANSCRIPTS), resumed?.transcripts ?? null);
    } catch (cause) {
      throw notWritable(path, cause);
    }
  }

  addMetrics(row: object): void {
    this.#metrics.add(JSON.stringify(row));
  }

  addTranscript(episode: object): void {
    this.#transcripts.add(JSON.stringify(episode, singlePrecision));
  }

  /** With all lines in their files. Throws a PlaygroundError where there is no room for them. */
  lengths(): LogLengths {
    try {
      this.#metrics.flush();
      this.#transcripts.flush();
    } catch (cause) {
      throw notWritable(this.path, cause);
    }
    return { metrics: this.#metrics.bytes, transcripts: this.#transcripts.bytes };
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
    this.#metrics.close();
    this.#transcripts.close();
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
