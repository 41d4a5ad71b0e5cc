/** All runs that are kept: an index of small files, and a folder a run for metrics, transcripts and checkpoints. */
import { parseExperiment } from '../experiment/schema.ts';
import type { EpisodeRecord, MetricRow } from '../marft/records.ts';
import { PlaygroundError } from '../runtime/errors.ts';
import { CheckpointStore } from './checkpoint-store.ts';
import type { Folders } from './folders.ts';
import type { RunFiles } from './run-files.ts';
import { RunLog } from './run-log.ts';
import { lastEvaluation, NO_NOTES, parseNotes, parseRecord, RECORD_VERSION, rewardsOf, rowsWithBase, thinCurve, type RunNotes, type RunRecord } from './run-record.ts';
import { runName } from './run-name.ts';

const INDEX = 'marft-runs';
/** The one run that earlier releases kept, in a folder without an id. */
const FORMER = { id: 'former', folder: 'marft-run' };
/** How long a deletion can be taken back, in milliseconds. */
const UNDO_FOR = 10 * 60_000;
const RECORD = /^([a-z0-9][a-z0-9-]{0,39})\.run\.json$/;

/** A run as the list knows it. */
export interface StoredRun {
  record: RunRecord;
  notes: RunNotes;
  name: string;
}

/** A run with all that can be shown of it. */
export interface WholeRun extends StoredRun {
  /** The evaluation before training first, as row 0, where there was one. */
  rows: MetricRow[];
  episodes: EpisodeRecord[];
}

export class RunLibrary {
  constructor(readonly folders: Folders) {}

  /** All runs, those that began last first; deleted ones are among them until they are gone. Throws a PlaygroundError where nothing can be stored. */
  async list(): Promise<StoredRun[]> {
    const index = await this.folders.open(INDEX);
    const names = await index.list();
    if (!names.includes(recordName(FORMER.id))) await this.#takeInFormer();
    const runs: StoredRun[] = [];
    for (const name of await index.list()) {
      const id = RECORD.exec(name)?.[1];
      const run = id === undefined ? null : await this.#read(index, id);
      if (run !== null) runs.push(run);
    }
    return runs.toSorted((a, b) => b.record.startedAt.localeCompare(a.record.startedAt) || b.record.id.localeCompare(a.record.id));
  }

  /** Null where there is none (any more) that can be read. */
  async find(id: string): Promise<StoredRun | null> {
    return this.#read(await this.folders.open(INDEX), id);
  }

  /** Throws a PlaygroundError (`run-missing`) where it is gone. */
  async open(id: string): Promise<WholeRun> {
    const run = await this.find(id);
    if (run === null) throw missing();
    const { rows, episodes } = await new RunLog(await this.files(id)).readUntil(Infinity);
    return { ...run, rows: rowsWithBase(run.record, rows), episodes };
  }

  /** Iterations that can be gone back to, the latest first. */
  async checkpoints(id: string): Promise<number[]> {
    return (await new CheckpointStore(await this.files(id)).iterations()).filter((iteration) => iteration > 0).reverse();
  }

  files(id: string): Promise<RunFiles> {
    return this.folders.open(folderOf(id));
  }

  /** Bytes that the run's folder takes. */
  bytes(id: string): Promise<number> {
    return this.folders.bytes(folderOf(id));
  }

  async write(record: RunRecord): Promise<void> {
    await writeJson(await this.folders.open(INDEX), recordName(record.id), record);
  }

  /** Keeps a run that has ended elsewhere: its curve, and no more of it. */
  async writeWhole(record: RunRecord, rows: readonly MetricRow[], episodes: readonly EpisodeRecord[] = []): Promise<void> {
    const log = new RunLog(await this.files(record.id));
    await log.addAll(rows, episodes);
    await this.write(record);
  }

  async annotate(id: string, change: Partial<Omit<RunNotes, 'version'>>): Promise<void> {
    const index = await this.folders.open(INDEX);
    const notes = parseNotes({ ...((await this.#read(index, id))?.notes ?? NO_NOTES), ...change });
    await writeJson(index, notesName(id), notes);
  }

  /** For good: the record first, so that nothing points to what is no more. */
  async remove(id: string): Promise<void> {
    const index = await this.folders.open(INDEX);
    await index.remove(recordName(id));
    await index.remove(notesName(id));
    await this.folders.remove(folderOf(id));
  }

  /** Those whose deletion can no longer be taken back. */
  expired(runs: readonly StoredRun[], now = Date.now()): StoredRun[] {
    return runs.filter(({ notes }) => notes.deletedAt !== null && now - Date.parse(notes.deletedAt) > UNDO_FOR);
  }

  async #read(index: RunFiles, id: string): Promise<StoredRun | null> {
    try {
      const record = parseRecord(await readJson(index, recordName(id)));
      const notes = parseNotes(await readJson(index, notesName(id)));
      return record.id === id ? { record, notes, name: notes.name ?? runName(id) } : null;
    } catch (error) {
      // Another release's, or cut: the others are worth no less for it.
      if (error instanceof PlaygroundError || error instanceof SyntaxError) return null;
      throw error;
    }
  }

  async #takeInFormer(): Promise<void> {
    const files = await this.folders.open(FORMER.folder);
    const manifests = await new CheckpointStore(files).manifests();
    const [first, latest] = [manifests[0], manifests.at(-1)];
    if (first === undefined || latest === undefined || latest.iteration === 0) return;
    const experiment = parseExperimentOrNull(latest.experiment);
    if (experiment === null) return;
    const { rows } = await new RunLog(files).readUntil(latest.iteration);
    await this.write({
      version: RECORD_VERSION,
      id: FORMER.id,
      experiment,
      backend: latest.backend,
      model: latest.model,
      origin: 'page',
      arm: null,
      startedAt: first.savedAt,
      updatedAt: latest.savedAt,
      iteration: latest.iteration,
      base: baseOf(latest.record),
      final: lastEvaluation(rows, experiment.schedule.evalProblems),
      curve: thinCurve(rewardsOf(rows)),
    });
  }
}

function folderOf(id: string): string {
  return id === FORMER.id ? FORMER.folder : `marft-run-${id}`;
}

const recordName = (id: string): string => `${id}.run.json`;
const notesName = (id: string): string => `${id}.notes.json`;

function missing(): PlaygroundError {
  return new PlaygroundError('run-missing', 'This run is not stored any more.', 'Another tab may have deleted it.');
}

function parseExperimentOrNull(document: unknown): RunRecord['experiment'] | null {
  try {
    return parseExperiment(document);
  } catch (error) {
    if (error instanceof PlaygroundError) return null;
    throw error;
  }
}

function baseOf(record: unknown): RunRecord['base'] {
  const base: unknown = typeof record === 'object' && record !== null && 'base' in record ? record.base : null;
  if (typeof base !== 'object' || base === null || !('problems' in base) || !('sampled' in base) || !('greedy' in base)) return null;
  const { problems, sampled, greedy } = base;
  return typeof problems === 'number' && typeof sampled === 'number' && typeof greedy === 'number' ? { problems, sampled, greedy } : null;
}

async function readJson(files: RunFiles, name: string): Promise<unknown> {
  const content = await files.read(name);
  return content === null ? null : JSON.parse(new TextDecoder().decode(content));
}

function writeJson(files: RunFiles, name: string, value: unknown): Promise<void> {
  return files.write(name, new TextEncoder().encode(JSON.stringify(value)));
}
