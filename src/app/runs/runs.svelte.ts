/** The list of runs as the page shows it: what is stored, what is looked for, what is chosen. */
import { SvelteSet } from 'svelte/reactivity';
import type { Experiment } from '../../experiment/schema.ts';
import { BrowserFolders } from '../../run-store/browser-files.ts';
import { RunLibrary, type StoredRun, type WholeRun } from '../../run-store/run-library.ts';
import { MAX_TAGS, now } from '../../run-store/run-record.ts';
import { PlaygroundError } from '../../runtime/errors.ts';
import { taskByName } from '../../tasks/registry.ts';
import { CompareStore } from '../compare/compare.svelte.ts';
import type { Playground } from '../state/playground.svelte.ts';
import { SweepsStore } from '../sweep/sweeps.svelte.ts';
import { troubleOf } from '../trainer/reply.ts';
import type { Trouble } from '../trainer/protocol.ts';
import { download } from '../ui/download.ts';
import { distinct } from './distinct.ts';
import { RUNS_CHANGED, takeRunLock } from './locks.ts';
import { packRun, RUN_FILE_TYPE, unpackRun } from './run-file.ts';
import { storageRoom, type StorageRoom } from './storage.ts';

export type RunsMode = 'list' | 'compare' | 'sweeps';

/** News of a run that trains come several times a second; the list need not be read that often. Milliseconds. */
const REREAD_AFTER = 400;

export class RunsStore {
  readonly library = new RunLibrary(new BrowserFolders());
  readonly compare: CompareStore;
  readonly sweeps: SweepsStore;
  mode = $state<RunsMode>('list');
  all = $state.raw<readonly StoredRun[]>([]);
  /** Whether the storage has been read. */
  loaded = $state(false);
  trouble = $state.raw<Trouble | null>(null);
  search = $state('');
  onlyStarred = $state(false);
  tag = $state<string | null>(null);
  readonly chosen = new SvelteSet<string>();
  /** What can be brought back with one click. */
  justDeleted = $state.raw<readonly StoredRun[]>([]);
  room = $state.raw<StorageRoom | null>(null);

  readonly playground: Playground;
  readonly #news = new BroadcastChannel(RUNS_CHANGED);
  #reading: ReturnType<typeof setTimeout> | null = null;

  constructor(playground: Playground) {
    this.playground = playground;
    this.compare = new CompareStore();
    this.sweeps = new SweepsStore(playground, this.library, () => this.#tell());
    this.#news.onmessage = () => this.#readSoon();
  }

  /** Not deleted, the latest first. */
  readonly kept = $derived(this.all.filter(({ notes }) => notes.deletedAt === null));
  readonly inBin = $derived(this.all.filter(({ notes }) => notes.deletedAt !== null));
  readonly tags = $derived(distinct(this.kept.flatMap(({ notes }) => notes.tags)).sort());
  readonly found = $derived.by(() => {
    const words = this.search.toLowerCase().split(/\s+/).filter((word) => word !== '');
    return this.kept.filter((run) => {
      if (this.onlyStarred && !run.notes.starred) return false;
      if (this.tag !== null && !run.notes.tags.includes(this.tag)) return false;
      const text = searchable(run);
      return words.every((word) => text.includes(word));
    });
  });

  /** The run that began before this one, which it is told apart from; null for the first. */
  before(run: StoredRun): StoredRun | null {
    return this.kept[this.kept.indexOf(run) + 1] ?? null;
  }

  /** Reads what is stored. What went wrong before stays said. */
  async read(): Promise<void> {
    await this.#tryOn(async () => {
      const all = await this.library.list();
      const expired = this.library.expired(all);
      for (const { record } of expired) await this.library.remove(record.id);
      this.all = all.filter((run) => !expired.includes(run));
      for (const id of this.chosen) if (!this.kept.some(({ record }) => record.id === id)) this.chosen.delete(id);
    });
    this.room = await storageRoom();
    this.loaded = true;
  }

  /** Shows the run's curves and transcripts in the playground. */
  async show(id: string): Promise<void> {
    await this.#try(async () => {
      const run = await this.library.open(id);
      const { task } = run.record.experiment;
      const chance = taskByName(task.name, task.options, task.weights, task.reward).chance;
      this.playground.show({ experiment: run.record.experiment, metrics: run.rows, episodes: run.episodes, chance }, run.name);
    });
  }

  /** Goes on with the run from its latest checkpoint, or from that of iteration `at`; later ones are then removed. */
  async resume(id: string, at: number | null): Promise<void> {
    this.playground.view = 'playground';
    await this.playground.resume(at, id);
  }

  /** Sets the controls to the run's experiment. */
  copySettings(experiment: Experiment): void {
    this.playground.draft.revertTo(experiment, { kind: 'named' });
    this.playground.view = 'playground';
  }

  async star({ record, notes }: StoredRun): Promise<void> {
    await this.#annotate(record.id, { starred: !notes.starred });
  }

  /** An empty name gives the run its own one back. */
  async rename({ record }: StoredRun, name: string): Promise<void> {
    await this.#annotate(record.id, { name: name.trim().slice(0, 80) || null });
  }

  /** Tags as they are written, with commas between them. */
  async setTags({ record }: StoredRun, text: string): Promise<void> {
    const tags = text.split(',').map((tag) => tag.trim().slice(0, 40)).filter((tag) => tag !== '');
    await this.#annotate(record.id, { tags: distinct(tags).slice(0, MAX_TAGS) });
  }

  /** Out of sight; ten minutes later for good. A run that is being trained is left alone. */
  async remove(runs: readonly StoredRun[]): Promise<void> {
    const free = runs.filter(({ record }) => record.id !== this.playground.runId);
    await this.#try(async () => {
      if (free.length < runs.length) throw new PlaygroundError('run-in-use', 'The run on the page is being saved, so it cannot be deleted.', 'Press Reset in the playground first; then it is free.');
      const deletedAt = now();
      for (const { record } of free) {
        (await takeRunLock(record.id))();
        await this.library.annotate(record.id, { deletedAt });
        this.chosen.delete(record.id);
      }
      this.justDeleted = free;
    });
    this.#tell();
    await this.read();
  }

  async undoRemove(): Promise<void> {
    const runs = this.justDeleted;
    this.justDeleted = [];
    for (const { record } of runs) await this.#annotate(record.id, { deletedAt: null });
  }

  /** Deleted runs go for good. */
  async emptyBin(): Promise<void> {
    await this.#try(async () => {
      for (const { record } of this.inBin) await this.library.remove(record.id);
    });
    this.justDeleted = [];
    this.#tell();
    await this.read();
  }

  async export(run: StoredRun): Promise<void> {
    await this.#try(async () => {
      download(`${run.name.replaceAll(/[^A-Za-z0-9]+/g, '-')}.marft-run.zip`, RUN_FILE_TYPE, await packRun(this.library, run.record.id));
    });
  }

  async import(files: Iterable<File>): Promise<void> {
    await this.#try(async () => {
      for (const file of files) await unpackRun(this.library, file);
    });
    this.#tell();
    await this.read();
  }

  /** Puts the chosen runs side by side. */
  async compareChosen(): Promise<void> {
    await this.compareRuns([...this.chosen]);
  }

  async compareRuns(ids: readonly string[]): Promise<void> {
    await this.#try(async () => {
      const runs: WholeRun[] = [];
      for (const id of ids) runs.push(await this.library.open(id));
      this.mode = 'compare';
      await this.compare.showRuns(runs.toReversed());
    });
  }

  async #annotate(id: string, change: Parameters<RunLibrary['annotate']>[1]): Promise<void> {
    await this.#try(() => this.library.annotate(id, change));
    this.#tell();
    await this.read();
  }

  async #try(work: () => Promise<void>): Promise<void> {
    this.trouble = null;
    await this.#tryOn(work);
  }

  async #tryOn(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.trouble = troubleOf(error);
    }
  }

  /** Other tabs, and this one where the news is not its own. */
  #tell(): void {
    this.#news.postMessage('');
    this.#readSoon();
  }

  #readSoon(): void {
    this.#reading ??= setTimeout(() => {
      this.#reading = null;
      void this.read();
    }, REREAD_AFTER);
  }
}

function searchable({ record, notes, name }: StoredRun): string {
  const { experiment, arm } = record;
  return [name, experiment.name, experiment.task.name, experiment.model, experiment.algorithm.method, `seed ${experiment.seed}`, arm?.sweep ?? '', arm?.name ?? '', ...notes.tags].join(' ').toLowerCase();
}
