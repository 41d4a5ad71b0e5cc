/** The page's one controller: what the buttons do, and the state that they depend on. */
import { proxy } from 'comlink';
import type { AdapterUpload } from '../../experiment/import-adapter.ts';
import type { Experiment } from '../../experiment/schema.ts';
import type { BackendInfo } from '../../runtime/backend.ts';
import type { Address } from '../address.ts';
import { AskStore } from '../ask/ask.svelte.ts';
import { changedParts } from '../logic/differences.ts';
import { fetchRecordedRun, type RecordedRun } from '../logic/recorded-run.ts';
import { stepOf, stepsOf } from '../logic/stages.ts';
import { Pace } from '../logic/time-left.ts';
import { ModelsStore } from '../models/models.svelte.ts';
import { ShareStore } from '../share/share.svelte.ts';
import { ConsentStore } from '../reward/consent.svelte.ts';
import { TrainerClient } from '../trainer/client.ts';
import type { HostEvent, ModelAccess, Reply, SavedRun, TrainerListener, Trouble } from '../trainer/protocol.ts';
import { DraftStore, NAMED } from './draft.svelte.ts';
import { ReadingStore } from './reading.svelte.ts';
import { RunStore } from './run.svelte.ts';

/**
 * `idle`: nothing is loaded · `opening`: model and adapters are being loaded · `open`: ready or paused · `training` ·
 * `pausing`: the iteration is being finished · `finished`: the schedule has ended · `broken`: the worker has died.
 */
export type Status = 'idle' | 'opening' | 'open' | 'training' | 'pausing' | 'finished' | 'broken';

/** How a call to train ended. */
type End = 'paused' | 'finished' | 'crashed';

export interface Loading {
  message: string;
  loaded?: number;
  total?: number;
}

export class Playground {
  readonly draft = new DraftStore();
  readonly models: ModelsStore;
  readonly run = new RunStore();
  readonly reading = new ReadingStore(this.run);
  readonly consent = new ConsentStore();
  readonly share = new ShareStore(this);
  readonly ask = new AskStore((request) => this.#client?.call(request) ?? null);

  status = $state<Status>('idle');
  loading = $state.raw<Loading | null>(null);
  backend = $state.raw<BackendInfo | null>(null);
  /** What went wrong last; null once it has been dealt with. */
  trouble = $state.raw<Trouble | null>(null);
  /** Why the trainer paused by itself; null when it did not. */
  pauseReason = $state<string | null>(null);
  /** What the trainer had to say last although it goes on; null when nothing. */
  notice = $state<string | null>(null);
  secondsPerIteration = $state<number | null>(null);
  /** A run that can be resumed; null when there is none, or one has been opened since. */
  saved = $state.raw<SavedRun | null>(null);
  /** Why the run on the page is not being saved; null when it is. */
  savingProblem = $state<string | null>(null);
  /** Which part of the page is looked at. */
  view = $state<'playground' | 'gallery' | 'runs'>('playground');
  /** The stored run that is being written to; null: none is. */
  runId = $state<string | null>(null);
  /** The name of the stored run on show; null where the run is another one. */
  shownName = $state<string | null>(null);
  /** What is different since a resumed run was saved. */
  resumeNotice = $state<string | null>(null);

  /** What the present session was opened with; null when none is. */
  #opened = $state.raw<Experiment | null>(null);
  /** Where its model came from. */
  #openedAccess = $state.raw<ModelAccess | null>(null);
  #client: TrainerClient | null = null;
  /** Resolves when the trainer has stopped; it is never rejected. */
  #stopped: Promise<void> = Promise.resolve();
  #onEnd: (end: End) => void = () => undefined;
  /** How many sessions have been opened; the last one's events count. */
  #sessions = 0;
  #pace = new Pace();
  #iterationBegan = 0;

  readonly address: Address;

  constructor(address: Address) {
    this.address = address;
    this.models = new ModelsStore(this.draft, address.places.models);
  }

  readonly busy = $derived(this.status === 'training' || this.status === 'pausing' || this.status === 'opening');
  /** What the controls say otherwise than the run in progress; it takes a reset. */
  readonly pendingChanges = $derived(this.run.rows.length > 0 ? this.#changes() : []);
  /** Whether there is a session, between its iterations. */
  readonly atRest = $derived(this.#opened !== null && (this.status === 'open' || this.status === 'finished'));
  readonly iterations = $derived(
    (this.#opened ?? (this.run.source === 'live' ? this.run.experiment : null) ?? this.draft.experiment).schedule.iterations,
  );
  /** Seconds that the schedule's rest will take; null while that cannot be known. */
  readonly secondsLeft = $derived(
    this.secondsPerIteration === null || this.run.source !== 'live'
      ? null
      : Math.max(0, this.iterations - this.run.iteration) * this.secondsPerIteration,
  );

  /** Shows the recorded run, and finds out which backend there is. Nothing is started while a shared experiment waits for its answer. Call once. */
  async begin(): Promise<void> {
    const recorded = fetchRecordedRun(this.address.recordedRun);
    const prepared = this.share.answered.then(() => this.#prepare());
    const run = await recorded;
    if (run && this.run.source === 'none') {
      this.run.showRecorded(run);
      this.reading.clear();
    }
    if ((await prepared) && this.#opened === null) await this.#lookForSaved();
  }

  /** Opens a saved run where it was left, or at a kept iteration; it is trained on when that is asked for. The latest run unless named. */
  async resume(at: number | null, id = this.saved?.id): Promise<void> {
    if (this.busy || id === undefined || !(await this.#mayResume(id, at))) return;
    await this.#openWith(NAMED, (client, listener) => client.call((service) => service.resume(id, at, this.models.terms, listener)), ({ experiment, metrics, episodes, notice }) => {
      this.draft.revertTo(experiment, NAMED);
      this.run.goOn(experiment, metrics, episodes);
      this.resumeNotice = notice;
      return experiment;
    });
    if (this.status === 'open' && this.run.iteration >= this.iterations) this.status = 'finished';
  }

  /** Shows a run that was trained before, here or elsewhere, in place of the one on the page; Train then starts its experiment anew. `name`: null for one that came with the page. */
  show(run: RecordedRun, name: string | null): void {
    if (this.busy) return;
    // The session goes; its run is saved as far as it came.
    this.#sessions += 1;
    this.#opened = null;
    this.runId = null;
    this.ask.clear();
    this.status = 'idle';
    void this.#client?.call((service) => service.dispose().then(() => ({ ok: true, value: null })));
    this.draft.revertTo(run.experiment, NAMED);
    this.run.showRecorded(run);
    this.reading.clear();
    this.shownName = name;
    this.view = 'playground';
  }

  /** Removes the saved run. */
  async discardSaved(): Promise<void> {
    const id = this.saved?.id;
    if (this.busy || !this.#client || id === undefined) return;
    const reply = await this.#client.call((service) => service.discard(id));
    if (reply.ok) this.saved = null;
    else this.trouble = reply.trouble;
  }

  /** Trains on, from the beginning where nothing has been trained yet. */
  async train(): Promise<void> {
    if (this.busy) return;
    if ((this.status === 'finished' || !this.#isOpen()) && !(await this.#open())) return;
    await this.#work('training', (client) => client.call((service) => service.train()));
  }

  /** One iteration, then pause. */
  async stepOne(): Promise<void> {
    if (this.busy || (!this.#isOpen() && !(await this.#open()))) return;
    await this.#work('training', (client) => client.call((service) => service.stepOne()));
  }

  /** One stage of an iteration, then wait in the middle of it. */
  async stepStage(): Promise<void> {
    if (this.run.held !== null) {
      this.run.held = null;
      this.#client?.nextStage();
      return;
    }
    if (this.busy || (!this.#isOpen() && !(await this.#open()))) return;
    await this.#work('training', (client) => client.call((service) => service.stepByStage()));
  }

  /** Lets an iteration that waits go to its end. */
  finishStages(): void {
    this.run.held = null;
    this.#client?.finishStages();
  }

  /** Takes effect at the end of the iteration in progress. */
  pause(): void {
    if (this.status !== 'training') return;
    this.run.held = null;
    this.status = 'pausing';
    this.#client?.pause();
  }

  /** Drops the run and opens a fresh one with what the controls say. */
  async reset(): Promise<void> {
    this.pause();
    await this.#stopped;
    if (this.status !== 'opening') await this.#open();
  }

  /** Puts the controls back to what the run in progress was started with. */
  undoChanges(): void {
    if (this.#opened && this.#openedAccess) this.draft.revertTo(this.#opened, this.#openedAccess);
  }

  /** Files of each agent's adapter by the agent's name; null, with the trouble on the page, when they cannot be had. Only at rest. */
  async adapters(): Promise<Map<string, Map<string, Uint8Array>> | null> {
    if (!this.#client) return null;
    const reply = await this.#client.call((service) => service.adapters());
    if (!reply.ok) this.trouble = reply.trouble;
    return reply.ok ? reply.value : null;
  }

  /** The agent goes on from that adapter; opens a session where there is none. Returns why not, or null. */
  async importAdapter(agent: string, files: AdapterUpload): Promise<Trouble | null> {
    if (this.busy) return null;
    if ((!this.atRest || !this.#isUpToDate()) && !(await this.#open())) return this.trouble;
    if (!this.#client || !this.atRest) return this.trouble;
    const reply = await this.#client.call((service) => service.importAdapter(agent, files));
    return reply.ok ? null : reply.trouble;
  }

  /** After a crash: a new worker, ready to train from the beginning. What is on the page stays until then. */
  async restart(): Promise<void> {
    this.#client?.terminate();
    this.#client = null;
    this.#opened = null;
    this.trouble = null;
    this.backend = null;
    this.loading = null;
    this.status = 'idle';
    if (await this.#prepare()) await this.#lookForSaved();
  }

  dismissTrouble(): void {
    this.trouble = null;
  }

  /** Whether the session can train what the controls say; before the first iteration a changed draft reopens it. */
  #isOpen(): boolean {
    if (this.#opened === null || this.status !== 'open') return false;
    return this.#isUpToDate();
  }

  #isUpToDate(): boolean {
    return this.run.rows.length > 0 || this.#changes().length === 0;
  }

  /** What the controls say otherwise than the open session. */
  #changes(): string[] {
    if (this.#opened === null) return [];
    const parts = changedParts(this.draft.experiment, this.#opened);
    return this.draft.access === this.#openedAccess || parts.length > 0 ? parts : ['the model'];
  }

  async #prepare(): Promise<boolean> {
    const { prefer, places } = this.address;
    this.#client ??= new TrainerClient((trouble) => this.#onCrash(trouble));
    const reply = await this.#client.call((service) => service.prepare(prefer, places));
    if (reply.ok) {
      this.backend = reply.value.info;
      this.models.device = reply.value.device;
    }
    if (!reply.ok) this.#fail(reply.trouble);
    return reply.ok;
  }

  /** Whether it has been opened: opening reads and tries the code that an experiment carries, so the user is asked first. */
  async #open(): Promise<boolean> {
    const { experiment, access } = this.draft;
    if (!(await this.consent.to(experiment)) || this.busy) return false;
    return this.#openWith(access, (client, listener) => client.call((service) => service.open(experiment, access, this.models.terms, listener)), () => {
      this.run.start(experiment);
      return experiment;
    });
  }

  /** Whether the code that a saved run carries may run. Where the run cannot be read, resuming says why. */
  async #mayResume(id: string, at: number | null): Promise<boolean> {
    if (!(await this.#prepare()) || !this.#client) return false;
    const reply = await this.#client.call((service) => service.experimentOf(id, at));
    return (!reply.ok || (await this.consent.to(reply.value))) && !this.busy;
  }

  /** Opens a session by `request`, its model from `access`; `show` puts it on the page and returns the experiment that it is of. Returns whether it is open. */
  async #openWith<T>(
    access: ModelAccess,
    request: (client: TrainerClient, listener: TrainerListener) => Promise<Reply<T>>,
    show: (value: T) => Experiment,
  ): Promise<boolean> {
    this.trouble = null;
    this.pauseReason = null;
    this.notice = null;
    this.savingProblem = null;
    this.resumeNotice = null;
    this.runId = null;
    this.shownName = null;
    this.ask.clear();
    this.status = 'opening';
    this.loading = { message: 'Starting' };
    if (!(await this.#prepare()) || !this.#client) {
      this.loading = null;
      return false;
    }
    // The worker drops the session it has before it opens another; where that fails, none is left to go on with.
    this.#opened = null;
    const session = ++this.#sessions;
    const listener = proxy((event: HostEvent) => {
      // A late event of a session that has been replaced belongs to nothing on the page.
      if (session === this.#sessions) this.#onEvent(event);
    });
    const reply = await request(this.#client, listener);
    this.loading = null;
    if (!reply.ok) {
      this.#fail(reply.trouble);
      return false;
    }
    this.#opened = show(reply.value);
    this.#openedAccess = access;
    this.saved = null;
    this.#pace = new Pace();
    this.secondsPerIteration = null;
    this.reading.clear();
    this.status = 'open';
    return true;
  }

  /** Runs one of the trainer's long calls; `#stopped` waits for its end. */
  async #work(status: Status, request: (client: TrainerClient) => Promise<Reply<null>>): Promise<void> {
    if (!this.#client || !this.#opened || !(await this.consent.to(this.#opened))) return;
    this.status = status;
    this.pauseReason = null;
    this.notice = null;
    this.saved = null;
    this.#iterationBegan = performance.now();
    // Events come through a port of their own, so the call's reply may overtake the last of them: wait for both.
    const ended = new Promise<End>((resolve) => (this.#onEnd = resolve));
    const work = request(this.#client).then(async (reply) => {
      if (!reply.ok) return this.#fail(reply.trouble);
      const end = await ended;
      if (end !== 'crashed') this.status = end === 'finished' ? 'finished' : 'open';
      // What went wrong is not saved: what is can be gone back to.
      if (this.pauseReason !== null) await this.#lookForSaved();
    });
    this.#stopped = work;
    await work;
  }

  #onEvent(event: HostEvent): void {
    if (event.type === 'saving') {
      this.savingProblem = event.problem;
      this.runId = event.run;
      return;
    }
    // Also while training: a device that is lost is replaced.
    if (event.type === 'loading') this.loading = event;
    if (event.type === 'ready') this.backend = event.backend;
    if (event.type === 'stage') this.loading = null;
    if (event.type === 'evaluation') this.#iterationBegan = performance.now();
    if (event.type === 'held') {
      this.#pace = new Pace();
      this.reading.followNewest();
      const step = stepOf(stepsOf(this.run.agents), event);
      if (step?.channel) this.reading.channel = step.channel;
    }
    if (event.type === 'iteration') this.#keepPace();
    if (event.type === 'notice') this.notice = event.message;
    if (event.type === 'paused') this.pauseReason = event.reason;
    this.run.apply(event);
    if (event.type === 'paused' || event.type === 'finished') this.#onEnd(this.run.iteration >= this.iterations ? 'finished' : 'paused');
  }

  async #lookForSaved(): Promise<void> {
    const reply = await this.#client?.call((service) => service.saved());
    if (reply?.ok && !this.busy) this.saved = reply.value;
  }

  #keepPace(): void {
    const now = performance.now();
    this.#pace.add((now - this.#iterationBegan) / 1000);
    this.#iterationBegan = now;
    this.secondsPerIteration = this.#pace.secondsPerIteration();
  }

  #fail(trouble: Trouble): void {
    if (this.status !== 'broken') this.status = this.#opened === null ? 'idle' : 'open';
    this.trouble = trouble;
    this.run.stage = null;
  }

  #onCrash(trouble: Trouble): void {
    this.status = 'broken';
    this.trouble = trouble;
    this.loading = null;
    this.run.stage = null;
    this.#onEnd('crashed');
  }
}
