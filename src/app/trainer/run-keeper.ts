/** Keeps the run of this page in the browser, so that it can be gone on with after a reload: one run, the latest. */
import { z } from 'zod';
import { parseExperiment, type Experiment } from '../../experiment/schema.ts';
import type { EpisodeRecord, MetricRow, TrainerEvent } from '../../marft/records.ts';
import type { Trainer } from '../../marft/trainer.ts';
import { Autosave, type SavingNews } from '../../run-store/autosave.ts';
import { browserFiles } from '../../run-store/browser-files.ts';
import type { Checkpoint, RunIdentity } from '../../run-store/checkpoint.ts';
import { CheckpointStore } from '../../run-store/checkpoint-store.ts';
import type { RunFiles } from '../../run-store/run-files.ts';
import { RunLog } from '../../run-store/run-log.ts';
import { PlaygroundError } from '../../runtime/errors.ts';
import { keepIteration, type KeptIteration } from '../logic/kept-iterations.ts';
import type { SavedRun } from './protocol.ts';

z.config({ jitless: true });

const FOLDER = 'marft-run';
/** Of a run's checkpoints about so many are kept to go back to, evenly over its schedule. */
const KEPT_CHECKPOINTS = 8;

/** The evaluation before training, as a row of its own; null when there was none. */
const recordSchema = z.strictObject({ base: z.strictObject({ problems: z.int(), sampled: z.number(), greedy: z.number() }).nullable() });
type Base = z.output<typeof recordSchema>['base'];

/** A saved run, opened to go on. */
export interface Found {
  experiment: Experiment;
  checkpoint: Checkpoint;
  rows: MetricRow[];
  episodes: EpisodeRecord[];
}

export class RunKeeper {
  #files: Promise<RunFiles> | null = null;
  #autosave: Autosave | null = null;
  #log: RunLog | null = null;
  #kept: KeptIteration[] = [];
  #base: Base = null;
  /** Rows that the log does not have yet. */
  #pending: { row: MetricRow; episodes: EpisodeRecord[] }[] = [];
  #release: () => void = () => undefined;
  /** The run of before is still there: it goes when there is something to put in its place. */
  #replaces = false;

  /** What is saved in this browser, newest first where several can be gone back to; null where nothing is or may be. */
  async describe(): Promise<SavedRun | null> {
    try {
      const manifests = await new CheckpointStore(await this.#open()).manifests();
      const latest = manifests.at(-1);
      if (latest === undefined || latest.iteration === 0) return null;
      const { iteration, experiment, savedAt } = latest;
      return { experiment: parseExperiment(experiment), iteration, savedAt, iterations: manifests.map((one) => one.iteration).reverse() };
    } catch (error) {
      // Nothing that could be gone on with: not worth a word before anybody has trained anything.
      if (error instanceof PlaygroundError) return null;
      throw error;
    }
  }

  /** Throws a PlaygroundError where nothing whole is saved. `at`: null for the newest. */
  async find(at: number | null): Promise<Found> {
    const files = await this.#open();
    const checkpoint = await new CheckpointStore(files).load(at, ({ record }) => (recordSchema.safeParse(record).success ? null : 'It is another program’s.'), (sentence) => console.info(sentence));
    if (checkpoint === null) throw new PlaygroundError('checkpoint-missing', 'Nothing is saved any more.', 'Press Train to start a run.');
    const { rows, episodes } = await new RunLog(files).readUntil(checkpoint.state.iteration);
    const { base } = recordSchema.parse(checkpoint.manifest.record);
    const before: MetricRow[] = base === null ? [] : [{ iteration: 0, 'eval/reward': base.sampled, 'eval/reward_greedy': base.greedy }];
    return { experiment: parseExperiment(checkpoint.manifest.experiment), checkpoint, rows: [...before, ...rows], episodes };
  }

  /** Saves from now on; a new run replaces the one that is there. That it cannot be saved is told, and not thrown. */
  async begin(identity: RunIdentity, experiment: Experiment, resumed: Found | null, tell: (news: SavingNews) => void): Promise<void> {
    this.end();
    this.#base = resumed === null ? null : recordSchema.parse(resumed.checkpoint.manifest.record).base;
    try {
      const files = await this.#open();
      this.#release = await takeLock();
      const store = new CheckpointStore(files);
      const saved = resumed?.checkpoint.state.iteration ?? null;
      this.#log = new RunLog(files);
      this.#replaces = saved === null;
      if (saved !== null) {
        await store.discardAfter(saved);
        const { episodes } = await this.#log.readUntil(saved);
        this.#kept = [...new Set(episodes.map(({ iteration }) => iteration))].map((iteration) => ({ iteration, episodes: [] }));
        await this.#log.keepTranscripts(this.#kept.map(({ iteration }) => iteration));
      }
      const keepEvery = Math.ceil(experiment.schedule.iterations / KEPT_CHECKPOINTS);
      this.#autosave = new Autosave(store, identity, { every: 1, keepEvery, record: () => ({ base: this.#base }), tell }, saved);
      tell({ saved, problem: null });
    } catch (error) {
      this.end();
      if (!(error instanceof PlaygroundError)) throw error;
      tell({ saved: null, problem: `${error.message} ${error.hint}` });
    }
  }

  onEvent(event: TrainerEvent): void {
    if (event.type === 'evaluation' && event.iteration === 0) this.#base = event.evaluation;
    if (event.type === 'iteration' && this.#autosave) this.#pending.push({ row: event.metrics, episodes: event.episodes });
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

  /** Forgets what is saved. */
  async discard(): Promise<void> {
    this.end();
    await clear(await this.#open());
  }

  /** Saves no more; what is saved stays. */
  end(): void {
    this.#release();
    this.#release = () => undefined;
    this.#autosave = null;
    this.#log = null;
    this.#kept = [];
    this.#pending = [];
  }

  async #writeLog(): Promise<void> {
    if (this.#replaces) await clear(await this.#open());
    this.#replaces = false;
    for (const { row, episodes } of this.#pending) {
      await this.#log?.add(row, episodes);
      this.#kept = keepIteration(this.#kept, { iteration: row.iteration, episodes: [] });
    }
    this.#pending = [];
    await this.#log?.keepTranscripts(this.#kept.map(({ iteration }) => iteration));
  }

  #open(): Promise<RunFiles> {
    this.#files ??= browserFiles(FOLDER);
    // A refusal must not be what the next attempt finds.
    this.#files.catch(() => (this.#files = null));
    return this.#files;
  }
}

/** How long another writer may take to go, in milliseconds: the page of before a reload needs a moment. */
const LOCK_PATIENCE = 2000;

/** One writer: another tab's run must not be written into. Returns how to give the lock back. */
function takeLock(): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const held = navigator.locks.request(FOLDER, { signal: AbortSignal.timeout(LOCK_PATIENCE) }, () => new Promise<void>((release) => resolve(release)));
    held.catch((cause: unknown) => {
      reject(new PlaygroundError('run-locked', 'Another tab is saving its run in this browser.', 'Close it, then reset, to have this one saved.', { cause }));
    });
  });
}

async function clear(files: RunFiles): Promise<void> {
  // Manifests first, so that none is ever without its tensors.
  const names = await files.list();
  for (const name of names.toSorted((a, b) => Number(b.endsWith('.json')) - Number(a.endsWith('.json')))) await files.remove(name);
}
