/** Where the command line finds problems: on the Hub through the cache, or in the file that --data names. */
import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { folderStorage } from '../checkpoint/folder-storage.ts';
import { dataServices, type GivenFile } from '../data/rows.ts';
import { parseExperiment, type Experiment } from '../experiment/schema.ts';
import { PlaygroundError } from '../runtime/errors.ts';
import { nodeSandbox } from '../sandbox/node.ts';
import { CODE } from '../tasks/code/code.ts';
import { DATASET, USER_FILE } from '../tasks/dataset/dataset.ts';
import type { TaskServices } from '../tasks/services.ts';
import type { HubAccess } from './models.ts';

export const DATA_OPTION = { data: 'value' } as const;

export const DATA_HELP = `  --data FILE         Problems from a file: .jsonl, .json, .csv, .tsv or .parquet, in columns "question" and "answer"
                      unless task.options.question and task.options.answer say others. With the preset "code": programming
                      problems with tests, in the format that task.options.format says.`;

/** Bytes that are hashed at once. */
const PIECE = 4 * 1024 * 1024;

/** `data` is the path of the user's file. Nothing is read before a task asks for it. */
export function commandLineServices(hub: HubAccess, data: string | undefined): TaskServices {
  const rows = dataServices({
    hub: { endpoint: hub.endpoint, token: process.env['HF_TOKEN'] },
    storage: folderStorage(hub.cache),
    userFile: () => Promise.resolve(data === undefined ? null : givenFile(data)),
  });
  return { ...rows, sandbox: nodeSandbox() };
}

/** The experiment with its problems from that file, whatever they were from before; those of a task with programs are programming problems. Throws a PlaygroundError (`data-unreadable`). */
export function withDataFile(experiment: Experiment, path: string): Experiment {
  const { sha256 } = givenFile(path);
  const { task } = experiment;
  const name = task.name === CODE ? CODE : DATASET;
  const options = task.name === name ? task.options : {};
  return parseExperiment({ ...experiment, task: { name, options: { ...options, source: USER_FILE, file: basename(path), sha256 } } });
}

function givenFile(path: string): GivenFile {
  const place = resolve(path);
  try {
    const bytes = statSync(place).size;
    return { file: { name: basename(place), bytes, read: (start, end) => readBytes(place, start, end) }, sha256: hashOf(place) };
  } catch (cause) {
    throw new PlaygroundError('data-unreadable', `The file ${path} cannot be read.`, 'Give the path of a file with problems after --data.', { cause });
  }
}

async function readBytes(place: string, start: number, end: number): Promise<Uint8Array> {
  const file = await open(place);
  try {
    const bytes = new Uint8Array(end - start);
    let filled = 0;
    for (let count = -1; count !== 0 && filled < bytes.length; filled += count) count = (await file.read(bytes, filled, bytes.length - filled, start + filled)).bytesRead;
    return bytes.subarray(0, filled);
  } finally {
    await file.close();
  }
}

function hashOf(place: string): string {
  const hash = createHash('sha256');
  const piece = new Uint8Array(PIECE);
  const file = openSync(place, 'r');
  try {
    for (let count = readSync(file, piece); count > 0; count = readSync(file, piece)) hash.update(piece.subarray(0, count));
  } finally {
    closeSync(file);
  }
  return hash.digest('hex');
}
