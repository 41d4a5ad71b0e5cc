/** What the page and its training worker say to each other. Errors cross as sentences, never as stacks. */
import type { AdapterUpload } from '../../experiment/import-adapter.ts';
import type { Device } from '../../experiment/model-report.ts';
import type { Experiment } from '../../experiment/schema.ts';
import type { StageDone } from '../../marft/progress.ts';
import type { EpisodeRecord, MetricRow, TrainerEvent } from '../../marft/records.ts';
import type { SavingNews } from '../../run-store/autosave.ts';
import type { BackendInfo } from '../../runtime/backend.ts';
import type { AnswerEnd, AnswerListener, Asked, ExampleQuestion } from '../ask/protocol.ts';

/** Something went wrong: what happened, and what the user can do. */
export interface Trouble {
  message: string;
  hint: string;
}

export type Reply<T> = { ok: true; value: T } | { ok: false; trouble: Trouble };

/** What the worker tells the page: what the trainer tells, how saving goes, and after which stage an iteration waits in slow motion. */
export type HostEvent = TrainerEvent | ({ type: 'saving'; run: string | null } & SavingNews) | ({ type: 'held' } & StageDone);
export type TrainerListener = (event: HostEvent) => void;

/** A run that this browser has kept. */
export interface SavedRun {
  id: string;
  name: string;
  experiment: Experiment;
  /** The latest one that is saved. */
  iteration: number;
  /** ISO 8601. */
  savedAt: string;
  /** All iterations that can be gone back to, the latest first. */
  iterations: number[];
}

/** A saved run that has been opened. */
export interface ResumedRun {
  experiment: Experiment;
  metrics: MetricRow[];
  episodes: EpisodeRecord[];
  /** What is different from before, in a sentence; null when nothing is. */
  notice: string | null;
}

/** Absolute addresses, because a worker does not know the page's. All end in `/`. */
export interface Places {
  /** ONNX Runtime's loaders and binaries. */
  ort: string;
  /** A folder per embedded model. */
  models: string;
}

/**
 * Where the model's files come from. `named`: as the experiment says, from the page or from what this browser has stored; nobody else is
 * asked. `direct`: straight from the Hub, tensor by tensor, without being stored. `files`: the user's own, whatever the experiment names.
 */
export type ModelAccess = { kind: 'named' } | { kind: 'direct' } | { kind: 'files'; files: readonly File[] };

/** On what terms a model is opened that does not come with the page. */
export interface ModelTerms {
  /** Bytes of memory that a run may take. */
  memoryLimit: number;
  /** The user's token for the Hub. */
  token: string | null;
}

export type PreferredBackend = 'auto' | 'webgpu' | 'wasm';

export interface TrainerService {
  /** Chooses the backend. Fetches neither ONNX Runtime's binary nor a model. */
  prepare(prefer: PreferredBackend, places: Places): Promise<Reply<{ info: BackendInfo; device: Device }>>;
  /** Loads the model and makes fresh adapters; what was open before is dropped. Not while training. */
  open(experiment: Experiment, access: ModelAccess, terms: ModelTerms, listener: TrainerListener): Promise<Reply<null>>;
  /** The latest run that can be resumed; null where none can. */
  saved(): Promise<Reply<SavedRun | null>>;
  /** What a saved run would train on with; nothing of it is opened. */
  experimentOf(id: string, at: number | null): Promise<Reply<Experiment>>;
  /** Opens a saved run as `open` does, at iteration `at` or the latest, its model as the experiment names it. What came after it is removed. */
  resume(id: string, at: number | null, terms: ModelTerms, listener: TrainerListener): Promise<Reply<ResumedRun>>;
  /** Removes a saved run. */
  discard(id: string): Promise<Reply<null>>;
  /** Trains until the schedule's end or a pause; resolves then. */
  train(): Promise<Reply<null>>;
  /** The evaluation before training if it is due, then one iteration; resolves after it. */
  stepOne(): Promise<Reply<null>>;
  /** As `stepOne`, but the iteration waits after every stage, says so (`held`) and goes on with `nextStage`. */
  stepByStage(): Promise<Reply<null>>;
  /** Lets an iteration that waits take its next stage. */
  nextStage(): Promise<void>;
  /** Lets it go to its end without waiting again. */
  finishStages(): Promise<void>;
  /** Makes `train` stop at the end of the iteration it is in, which waits no more. */
  pause(): Promise<void>;
  /** Files of each agent's adapter in PEFT's format, by agent and by name. Not while training. */
  adapters(): Promise<Reply<Map<string, Map<string, Uint8Array>>>>;
  /** The agent goes on from that adapter. Not while training. */
  importAdapter(agent: string, files: AdapterUpload): Promise<Reply<null>>;
  /** Questions of the task's own, to show what can be asked. */
  exampleQuestions(): Promise<Reply<ExampleQuestion[]>>;
  /** Puts a question to the base team and to the trained one; resolves after both answers. Not while training, which ends it. */
  ask(asked: Asked, listener: AnswerListener): Promise<Reply<AnswerEnd>>;
  /** Ends the answers in progress. */
  stopAnswers(): Promise<void>;
  /** Frees everything. */
  dispose(): Promise<void>;
}
