/** A run as one file to take along: a zip of its record and of all files of its folder; and back, with nothing in it believed. */
import { strFromU8, strToU8, unzipSync, zipSync, type Unzipped } from 'fflate';
import { z } from 'zod';
import { CheckpointStore } from '../../run-store/checkpoint-store.ts';
import { iterationOf } from '../../run-store/checkpoint.ts';
import type { RunLibrary } from '../../run-store/run-library.ts';
import { newRunId } from '../../run-store/run-name.ts';
import { lastEvaluation, NO_NOTES, parseNotes, parseRecord, RECORD_VERSION, rewardsOf, thinCurve, type RunNotes, type RunRecord } from '../../run-store/run-record.ts';
import type { EpisodeRecord, MetricRow } from '../../marft/records.ts';
import { PlaygroundError } from '../../runtime/errors.ts';
import { parseRecordedRun } from '../logic/recorded-run.ts';

z.config({ jitless: true });

const RECORD = 'run.json';
const LINES = /^(?:metrics|transcripts)-\d{1,9}\.json$/;
/** Of a file that is opened, packed and unpacked: what a page's memory takes. */
const MAX_PACKED = 2 ** 30;
const MAX_UNPACKED = 2 ** 31 - 1;

export const RUN_FILE_TYPE = 'application/zip';

/** The run as a file's bytes. */
export async function packRun(library: RunLibrary, id: string): Promise<Uint8Array<ArrayBuffer>> {
  const { record, notes, name } = await library.open(id);
  const files = await library.files(id);
  const packed: Unzipped = { [RECORD]: strToU8(JSON.stringify({ format: 'marft-run', version: RECORD_VERSION, record, notes: { ...notes, name } })) };
  for (const one of await files.list()) {
    const content = await files.read(one);
    if (content !== null && isRunFile(one)) packed[one] = new Uint8Array(content);
  }
  // Numbers of a model hardly become smaller, and would take long.
  return zipSync(packed, { level: 1 }) as Uint8Array<ArrayBuffer>;
}

/** Keeps the run of a file under an id of its own and returns that. Throws a PlaygroundError (`run-file`) for what is none. */
export async function unpackRun(library: RunLibrary, file: Blob): Promise<string> {
  if (file.size > MAX_PACKED) throw refused('is larger than any run');
  const bytes = new Uint8Array(await file.arrayBuffer());
  const zipped = bytes[0] === 0x50 && bytes[1] === 0x4b;
  return zipped ? keepZip(library, bytes) : keepDocument(library, bytes);
}

/** What "Download this run" writes: curves and transcripts alone. */
async function keepDocument(library: RunLibrary, bytes: Uint8Array): Promise<string> {
  const { experiment, metrics, episodes } = checked(() => parseRecordedRun(JSON.parse(strFromU8(bytes))));
  const rows = metrics.filter(({ iteration }) => iteration > 0);
  const start = metrics.find(({ iteration }) => iteration === 0);
  const [sampled, greedy] = [start?.['eval/reward'], start?.['eval/reward_greedy']];
  const problems = experiment.schedule.evalProblems;
  const now = new Date().toISOString();
  const record: RunRecord = {
    version: RECORD_VERSION, id: newRunId(), experiment, backend: 'wasm', model: experiment.model, origin: 'file', arm: null,
    startedAt: now, updatedAt: now, iteration: rows.at(-1)?.iteration ?? 0,
    base: sampled === undefined || greedy === undefined ? null : { problems, sampled, greedy },
    final: lastEvaluation(rows, problems), curve: thinCurve(rewardsOf(rows)),
  };
  await library.writeWhole(record, rows, episodes);
  return record.id;
}

async function keepZip(library: RunLibrary, bytes: Uint8Array): Promise<string> {
  const files = checked(() => unzipped(bytes));
  const { record, notes } = checked(() => readRecord(files));
  const { rows, episodes } = checked(() => readLines(files, record));
  const id = newRunId();
  const place = await library.files(id);
  // Tensors before manifests, so that a page that is closed meanwhile leaves no manifest without them.
  const checkpoints = Object.entries(files).filter(([name]) => !LINES.test(name) && name !== RECORD);
  for (const [name, content] of checkpoints.toSorted(([a], [b]) => Number(a.endsWith('.json')) - Number(b.endsWith('.json')))) await place.write(name, content);
  const store = new CheckpointStore(place);
  // What cannot be read, nothing could be gone on with.
  const readable = new Set((await store.manifests()).map(({ iteration }) => iteration));
  for (const iteration of await store.iterations()) if (!readable.has(iteration)) await place.remove(`iteration-${iteration}.json`);
  await library.writeWhole({ ...record, id, origin: 'file', startedAt: new Date().toISOString(), curve: thinCurve(rewardsOf(rows)) }, rows, episodes);
  await library.annotate(id, { ...notes, deletedAt: null });
  return id;
}

function unzipped(bytes: Uint8Array): Unzipped {
  let total = 0;
  return unzipSync(bytes, {
    filter: ({ name, originalSize }) => {
      total += originalSize;
      if (total > MAX_UNPACKED) throw refused('unpacks to more than any run');
      return name === RECORD || isRunFile(name);
    },
  });
}

function readRecord(files: Unzipped): { record: RunRecord; notes: RunNotes } {
  const document: unknown = JSON.parse(strFromU8(files[RECORD] ?? new Uint8Array()));
  const { record, notes } = z.object({ format: z.literal('marft-run'), version: z.literal(RECORD_VERSION), record: z.unknown(), notes: z.unknown() }).parse(document);
  return { record: parseRecord(record), notes: notes === undefined ? NO_NOTES : parseNotes(notes) };
}

function readLines(files: Unzipped, { experiment }: RunRecord): { rows: MetricRow[]; episodes: EpisodeRecord[] } {
  const lines = (kind: string): unknown[] =>
    Object.entries(files)
      .filter(([name]) => LINES.test(name) && name.startsWith(kind))
      .flatMap(([, content]) => z.array(z.unknown()).parse(JSON.parse(strFromU8(content))));
  const { metrics, episodes } = parseRecordedRun({ experiment, metrics: lines('metrics'), episodes: lines('transcripts') });
  return { rows: metrics.toSorted((a, b) => a.iteration - b.iteration), episodes };
}

function isRunFile(name: string): boolean {
  return LINES.test(name) || iterationOf(name, 'manifest') !== null || iterationOf(name, 'tensors') !== null;
}

/** Whatever is wrong with a stranger's file, it is no run. */
function checked<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof PlaygroundError) throw cause;
    throw refused('is not a run, or is damaged', cause);
  }
}

function refused(reason: string, cause?: unknown): PlaygroundError {
  return new PlaygroundError('run-file', `This file ${reason}.`, 'Choose a file that “Export” or “Download this run” wrote.', { cause });
}
