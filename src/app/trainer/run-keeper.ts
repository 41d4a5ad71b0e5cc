/** Keeps the runs of this page in the browser: the one that is trained is written after every iteration, and any of them can be gone on with. */
import { z } from 'zod';
import { parseExperiment, type Experiment } from '../../experiment/schema.ts';
import type { EpisodeRecord, MetricRow, TrainerEvent } from '../../marft/records.ts';
import type { Trainer } from '../../marft/trainer.ts';
import { Autosave, type SavingNews } from '../../run-store/autosave.ts';
import { BrowserFolders } from '../../run-store/browser-files.ts';
import type { Checkpoint, RunIdentity } from '../../run-store/checkpoint.ts';
import { CheckpointStore } from '../../run-store/checkpoint-store.ts';
import { RunLibrary } from '../../run-store/run-library.ts';
import { RunLog } from '../../run-store/run-log.ts';
import { newRunId } from '../../run-store/run-name.ts';
import { lastEvaluation, RECORD_VERSION, rewardsOf, rowsWithBase, thinCurve, type RunRecord } from '../../run-store/run-record.ts';
import { PlaygroundError } from '../../runtime/errors.ts';
import { keepIteration, type KeptIteration } from '../logic/kept-iterations.ts';
import { RUNS_CHANGED, takeRunLock } from '../runs/locks.ts';
import type { SavedRun } from './protocol.ts';

z.config({ jitless: true });

/** Of a run's checkpoints about so many are kept to go back to, evenly over its schedule. */
const KEPT_CHECKPOINTS = 8;

/** The evaluation before training, as a row of its own; null when there was none. */
const recordSchema = z.strictObject({ base: z.strictObject({ problems: z.int(), sampled: z.number(), greedy: z.number() }).nullable() });

/** A saved run, opened to go on. */
export interface Found {
  id: string;
  record: RunRecord;
  experiment: Experiment;
  checkpoint: Checkpoint;
  rows: MetricRow[];
  episodes: EpisodeRecord[];
}

export class RunKeeper {
  readonly #library = new RunLibrary(new BrowserFolders());
  readonly #changed = new BroadcastChannel(RUNS_CHANGED);
  #autosave: Autosave | null = null;
  #log: RunLog | null = null;
  #record: RunRecord | null = null;
  #rewards: number[] = [];
  #kept: KeptIteration[] = [];
  /** Rows that the log does not have yet. */
  #pending: { row: MetricRow; episodes: EpisodeRecord[] }[] = [];
  #release: () => void = () => undefined;

  /** The id of the run that is being saved; null: none is. */
  get id(): string | null {
    return this.#autosave === null ? null : (this.#record?.id ?? null);
  }

  /** The run of this page that was trained last and can be gone on with; null where nothing is or may be saved. */
  async describe(): Promise<SavedRun | null> {
    try {
      const runs = (await this.#library.list()).filter(({ record }) => record.origin === 'page' && record.iteration > 0);
      const [latest] = runs.toSorted((a, b) => b.record.updatedAt.localeCompare(a.record.updatedAt));
      // Whoever has thrown the latest away is not asked about the one before it.
      if (latest === undefined || latest.notes.deletedAt !== null) return null;
      const { record, name } = latest;
      const iterations = await this.#library.checkpoints(record.id);
      const [newest] = iterations;
      if (newest !== undefined) return { id: record.id, name, experiment: record.experiment, iteration: newest, savedAt: record.updatedAt, iterations };
      return null;
    } catch (error) {
      // Nothing that could be gone on with: not worth a word before anybody has trained anything.
      if (error instanceof PlaygroundError) return null;
      throw error;
    }
  }

  /** Throws a PlaygroundError where nothing whole is saved, or another tab trains it. `at`: null for the newest. */
  async find(id: string, at: number | null): Promise<Found> {
    const release = await takeRunLock(id);
    try {
      const stored = await this.#library.find(id);
      const files = await this.#library.files(id);
      const checkpoint = await new CheckpointStore(files).load(at, ({ record }) => (recordSchema.safeParse(record).success ? null : 'It is another program’s.'), (sentence) => console.info(sentence));
      if (checkpoint === null || stored === null) throw new PlaygroundError('checkpoint-missing', 'Nothing of this run is saved that could be gone on with.', 'Press Train to start a run.');
      const { rows, episodes } = await new RunLog(files).readUntil(checkpoint.state.iteration);
      const { base } = recordSchema.parse(checkpoint.manifest.record);
      const experiment = parseExperiment(checkpoint.manifest.experiment);
      return { id, record: stored.record, experiment, checkpoint, rows: rowsWithBase({ base }, rows), episodes };
    } finally {
      release();
    }
  }

  /** Saves from now on, as a run of its own unless one is gone on with. That it cannot be saved is told, and not thrown. */
  async begin(identity: RunIdentity, experiment: Experiment, resumed: Found | null, tell: (news: SavingNews) => void): Promise<void> {
    this.end();
    const saved = resumed?.checkpoint.state.iteration ?? null;
    const now = new Date().toISOString();
    const id = resumed?.id ?? newRunId();
    try {
      // Where nothing is stored, that is told before the first iteration.
      await this.#library.list();
      this.#release = await takeRunLock(id);
      this.#record = resumed?.record ?? {
        version: RECORD_VERSION, id, experiment, backend: identity.backend, model: identity.model, origin: 'page', arm: null,
        startedAt: now, updatedAt: now, iteration: 0, base: null, final: null, curve: [],
      };
      if (resumed !== null && saved !== null) await this.#goOn(resumed, saved);
      const keepEvery = Math.ceil(experiment.schedule.iterations / KEPT_CHECKPOINTS);
      const store = { save: async (...save: Parameters<CheckpointStore['save']>) => new CheckpointStore(await this.#library.files(id)).save(...save) };
      this.#autosave = new Autosave(store, identity, { every: 1, keepEvery, record: () => ({ base: this.#record?.base ?? null }), tell }, saved);
      tell({ saved, problem: null });
    } catch (error) {
      this.end();
      if (!(error instanceof PlaygroundError)) throw error;
      tell({ saved: null, problem: `${error.message} ${error.hint}` });
    }
  }

  onEvent(event: TrainerEvent): void {
    if (this.#autosave === null || this.#record === null) return;
    if (event.type === 'evaluation' && event.iteration === 0) this.#record = { ...this.#record, base: event.evaluation };
    if (event.type === 'iteration') this.#pending.push({ row: event.metrics, episodes: event.episodes });
  }

  /** Metrics and transcripts first, so that no checkpoint is without them. */
  async afterIteration(trainer: Trainer): Promise<void> {
    await this.#autosave?.afterIteration({
      iteration: trainer.iteration,
      state: async () => {
        await this.#writeLog();
        return trainer.state();
      },
    });
  }

  /** Puts a saved run into the bin, whence the page of runs gets it back for a while. Throws a PlaygroundError where another tab trains it. */
  async discard(id: string): Promise<void> {
    if (this.#record?.id === id) this.end();
    const release = await takeRunLock(id);
    try {
      await this.#library.annotate(id, { deletedAt: new Date().toISOString() });
    } finally {
      release();
    }
    this.#changed.postMessage(id);
  }

  /** Saves no more; what is saved stays. */
  end(): void {
    this.#release();
    this.#release = () => undefined;
    this.#autosave = null;
    this.#log = null;
    this.#record = null;
    this.#rewards = [];
    this.#kept = [];
    this.#pending = [];
  }

  /** What came after the iteration is removed: whoever goes back to it goes another way from there. */
  async #goOn(resumed: Found, saved: number): Promise<void> {
    const files = await this.#library.files(resumed.id);
    await new CheckpointStore(files).discardAfter(saved);
    this.#log = new RunLog(files);
    const { rows, episodes } = await this.#log.readUntil(saved);
    this.#rewards = rewardsOf(rows);
    this.#kept = [...new Set(episodes.map(({ iteration }) => iteration))].map((iteration) => ({ iteration, episodes: [] }));
    await this.#log.keepTranscripts(this.#kept.map(({ iteration }) => iteration));
    const final = lastEvaluation(rows, resumed.experiment.schedule.evalProblems);
    await this.#writeRecord({ ...resumed.record, experiment: resumed.experiment, iteration: saved, final, curve: thinCurve(this.#rewards) });
  }

  async #writeLog(): Promise<void> {
    if (this.#record === null) return;
    this.#log ??= new RunLog(await this.#library.files(this.#record.id));
    let record = this.#record;
    for (const { row, episodes } of this.#pending) {
      await this.#log.add(row, episodes);
      this.#kept = keepIteration(this.#kept, { iteration: row.iteration, episodes: [] });
      this.#rewards.push(...rewardsOf([row]));
      const final = lastEvaluation([row], record.experiment.schedule.evalProblems) ?? record.final;
      record = { ...record, iteration: row.iteration, final };
    }
    this.#pending = [];
    await this.#log.keepTranscripts(this.#kept.map(({ iteration }) => iteration));
    await this.#writeRecord({ ...record, curve: thinCurve(this.#rewards) });
  }

  async #writeRecord(record: RunRecord): Promise<void> {
    this.#record = { ...record, updatedAt: new Date().toISOString() };
    await this.#library.write(this.#record);
    this.#changed.postMessage(record.id);
  }
}
