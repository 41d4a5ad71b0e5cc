/** The page's sweeps: which there are, which of them run, and the workers that train for them. */
import { proxy } from 'comlink';
import { SvelteMap, SvelteSet } from 'svelte/reactivity';
import { modelChoice } from '../../experiment/model.ts';
import { summarize } from '../../experiment/sweep-results.ts';
import { identityOf, type Sweep } from '../../experiment/sweep.ts';
import type { RunLibrary } from '../../run-store/run-library.ts';
import { newRunId } from '../../run-store/run-name.ts';
import { now, RECORD_VERSION, rewardsOf, thinCurve } from '../../run-store/run-record.ts';
import { PlaygroundError } from '../../runtime/errors.ts';
import { Pace } from '../logic/time-left.ts';
import { takeSweepLock } from '../runs/locks.ts';
import type { Playground } from '../state/playground.svelte.ts';
import { ScreenLock } from '../state/screen-lock.ts';
import { troubleOf } from '../trainer/reply.ts';
import type { Trouble } from '../trainer/protocol.ts';
import { RunnerClient } from './runner-client.ts';
import type { FinishedRun } from './runner-protocol.ts';
import { cancelJob, iterationsLeft, knownOutcome, moveJob, newQueue, readQueue, settle, storeQueue, waitingJobs, wantAgain, type Came, type Job, type SweepQueue } from './sweep-queue.ts';

const FOLDER = 'marft-sweeps';

/** A job that a worker has in hand. */
export interface Running {
  sweep: string;
  job: Job;
  /** Completed iterations, and the latest reward. */
  iteration: number;
  reward: number | null;
}

export class SweepsStore {
  /** The latest first. */
  all = $state.raw<readonly SweepQueue[]>([]);
  loaded = $state(false);
  trouble = $state.raw<Trouble | null>(null);
  /** Why the sweeps are not being saved; null when they are. */
  savingProblem = $state<string | null>(null);
  /** Ids of sweeps that run, or would if a worker were free. */
  readonly going = new SvelteSet<string>();
  readonly running = new SvelteMap<string, Running>();
  /** Workers at most; null: as many as suits. */
  wanted = $state<number | null>(null);
  secondsPerIteration = $state<number | null>(null);

  readonly #playground: Playground;
  readonly #library: RunLibrary;
  readonly #onKept: () => void;
  readonly #clients = new SvelteMap<string, RunnerClient>();
  #idle: RunnerClient[] = [];
  readonly #locks = new SvelteMap<string, () => void>();
  readonly #pace = new Pace();

  /** `onKept` is called when a run has been added to the library. */
  constructor(playground: Playground, library: RunLibrary, onKept: () => void) {
    this.#playground = playground;
    this.#library = library;
    this.#onKept = onKept;
    const screen = new ScreenLock({ wakeLock: navigator.wakeLock, document });
    $effect.root(() => {
      $effect(() => screen.want(this.going.size > 0));
    });
  }

  /** As many workers as there can be: the GPU is one, the processor has its cores. */
  readonly most = $derived.by(() => (this.#playground.backend?.kind === 'webgpu' ? 1 : Math.max(1, navigator.hardwareConcurrency)));
  readonly parallel = $derived(Math.min(this.most, this.wanted ?? this.most));

  /** Seconds until the sweeps that run are over; null while that cannot be known. */
  readonly secondsLeft = $derived.by(() => {
    if (this.secondsPerIteration === null || this.going.size === 0) return null;
    const queued = this.all.filter(({ id }) => this.going.has(id)).reduce((sum, queue) => sum + iterationsLeft(queue), 0);
    const done = [...this.running.values()].reduce((sum, { iteration }) => sum + iteration, 0);
    return (Math.max(0, queued - done) * this.secondsPerIteration) / this.parallel;
  });

  /** Reads what is stored, once. */
  async read(): Promise<void> {
    if (this.loaded) return;
    await this.#try(async () => {
      const files = await this.#library.folders.open(FOLDER);
      const read: SweepQueue[] = [];
      for (const name of await files.list()) {
        const queue = parsed(await files.read(name));
        if (queue !== null && !this.all.some(({ id }) => id === queue.id)) read.push(queue);
      }
      this.all = [...this.all, ...read].toSorted((a, b) => b.madeAt.localeCompare(a.madeAt));
    });
    this.loaded = true;
  }

  /** Puts a sweep into the queue and starts it. */
  async start(sweep: Sweep): Promise<void> {
    const queue = newQueue(newRunId(), sweep);
    this.all = [queue, ...this.all];
    await this.#save(queue);
    await this.resume(queue.id);
  }

  /** Goes on, with what was lost to a reload from its beginning. */
  async resume(id: string): Promise<void> {
    await this.#try(async () => {
      this.#locks.get(id)?.();
      this.#locks.set(id, await takeSweepLock(id));
      this.going.add(id);
    });
    for (const [key, { sweep }] of this.running) if (sweep === id && this.going.has(id)) this.#clients.get(key)?.goOn();
    this.#fill();
  }

  /** Every run of it waits at the end of its iteration. */
  pause(id: string): void {
    this.going.delete(id);
    for (const [key, { sweep }] of this.running) if (sweep === id) this.#clients.get(key)?.pause();
    this.#fill();
  }

  move(id: string, key: string, by: number): void {
    this.#change(id, (queue) => moveJob(queue, key, by));
  }

  cancel(id: string, key: string): void {
    this.#stop(placeOf(id, key));
    this.#change(id, (queue) => cancelJob(queue, key));
    this.#fill();
  }

  /** Failed and cancelled runs are tried again. */
  async tryAgain(id: string): Promise<void> {
    this.#change(id, wantAgain);
    await this.resume(id);
  }

  /** The runs that it has added to the library stay. */
  async remove(id: string): Promise<void> {
    this.going.delete(id);
    for (const [key, { sweep }] of [...this.running]) if (sweep === id) this.#stop(key);
    this.#unlock(id);
    this.all = this.all.filter((one) => one.id !== id);
    await this.#try(async () => (await this.#library.folders.open(FOLDER)).remove(`${id}.json`));
    this.#fill();
  }

  setParallel(count: number): void {
    this.wanted = count;
    this.#fill();
  }

  /** Gives every free worker something to do. */
  #fill(): void {
    while (this.running.size < this.parallel) {
      const next = this.#next();
      if (next === null) break;
      const known = knownOutcome(next.queue, next.job);
      if (known === null) void this.#run(next.queue, next.job);
      else this.#change(next.queue.id, (queue) => settle(queue, next.job, known));
    }
    for (const queue of this.all) {
      if (!this.going.has(queue.id) || waitingJobs(queue).length > 0) continue;
      this.going.delete(queue.id);
      this.#unlock(queue.id);
    }
    if (this.running.size > 0) return;
    for (const client of this.#idle) client.terminate();
    this.#idle = [];
  }

  /** The next job of the sweep that was started first and has one; not the same run twice at a time. */
  #next(): { queue: SweepQueue; job: Job } | null {
    if ([...this.running.values()].some(({ job }) => takesAll(job))) return null;
    const busy = [...this.running.values()].map(({ job }) => identityOf(job.experiment));
    for (const queue of [...this.all].reverse()) {
      if (!this.going.has(queue.id)) continue;
      const job = waitingJobs(queue).find(({ experiment }) => !busy.includes(identityOf(experiment)));
      if (job !== undefined) return takesAll(job) && this.running.size > 0 ? null : { queue, job };
    }
    return null;
  }

  async #run({ id, sweep }: SweepQueue, job: Job): Promise<void> {
    const key = placeOf(id, job.key);
    const client = this.#idle.pop() ?? new RunnerClient();
    this.#clients.set(key, client);
    this.running.set(key, { sweep: id, job, iteration: 0, reward: null });
    let last = performance.now();
    const progress = proxy((iteration: number, reward: number | null) => {
      if (this.#clients.get(key) !== client) return;
      const moment = performance.now();
      if (this.going.has(id)) this.#pace.add((moment - last) / 1000);
      last = moment;
      this.secondsPerIteration = this.#pace.secondsPerIteration();
      this.running.set(key, { sweep: id, job, iteration, reward });
    });
    const { prefer, places } = this.#playground.address;
    const request = { experiment: job.experiment, prefer, places, terms: this.#playground.models.terms };
    const reply = await client.call((service) => service.run(request, progress));
    // Cancelled: its worker is no more, and nothing came of it.
    if (this.#clients.get(key) !== client) return;
    if (reply.ok && !job.tuning) await this.#keep(sweep.name, job, reply.value);
    if (this.#clients.get(key) !== client) return;
    // It is running until its outcome is among the others, or it would be started once more in between.
    this.#clients.delete(key);
    this.running.delete(key);
    if (client.alive) this.#idle.push(client);
    else client.terminate();
    const came: Came = reply.ok ? verdictOf(reply.value) : { reason: `${reply.trouble.message} ${reply.trouble.hint}` };
    this.#change(id, (queue) => settle(queue, job, came));
    this.#fill();
  }

  #stop(key: string): void {
    this.#clients.get(key)?.terminate();
    this.#clients.delete(key);
    this.running.delete(key);
  }

  /** Its curve goes among the runs, without transcripts and checkpoints. */
  async #keep(sweep: string, job: Job, { rows, base, trained, backend, model }: FinishedRun): Promise<void> {
    const endedAt = now();
    await this.#saving(async () => {
      await this.#library.writeWhole(
        {
          version: RECORD_VERSION, id: newRunId(), experiment: job.experiment, backend, model, origin: 'sweep', arm: { sweep, name: job.arm },
          startedAt: endedAt, updatedAt: endedAt, iteration: rows.length, base, final: trained, curve: thinCurve(rewardsOf(rows)),
        },
        rows,
      );
      this.#onKept();
    });
  }

  #change(id: string, change: (queue: SweepQueue) => SweepQueue): void {
    this.all = this.all.map((queue) => (queue.id === id ? change(queue) : queue));
    const changed = this.all.find((queue) => queue.id === id);
    if (changed) void this.#save(changed);
  }

  async #save(queue: SweepQueue): Promise<void> {
    await this.#saving(async () => (await this.#library.folders.open(FOLDER)).write(`${queue.id}.json`, new TextEncoder().encode(storeQueue(queue))));
  }

  /** That something cannot be saved does not stop the sweep. */
  async #saving(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.savingProblem = null;
    } catch (error) {
      if (!(error instanceof PlaygroundError)) throw error;
      this.savingProblem = `${error.message} ${error.hint}`;
    }
  }

  #unlock(id: string): void {
    this.#locks.get(id)?.();
    this.#locks.delete(id);
  }

  async #try(work: () => Promise<void>): Promise<void> {
    this.trouble = null;
    try {
      await work();
    } catch (error) {
      this.trouble = troubleOf(error);
    }
  }
}

/** A model of the Hub takes all memory and cores by itself. */
function takesAll({ experiment }: Job): boolean {
  return modelChoice(experiment.model).kind !== 'embedded';
}

function verdictOf({ rows, base, trained }: FinishedRun): Came {
  const rewards = rewardsOf(rows);
  return { rewards, summary: summarize(rewards, { sampled: trained.sampled, greedy: trained.greedy, baseSampled: base.sampled, baseGreedy: base.greedy }) };
}

function placeOf(sweep: string, key: string): string {
  return `${sweep} ${key}`;
}

/** Null for what is no sweep of this release. */
function parsed(content: Uint8Array | null): SweepQueue | null {
  try {
    return content === null ? null : readQueue(JSON.parse(new TextDecoder().decode(content)));
  } catch (error) {
    if (error instanceof PlaygroundError || error instanceof SyntaxError) return null;
    throw error;
  }
}
