/** What the page and a worker that trains whole runs for a sweep say to each other. */
import type { Experiment } from '../../experiment/schema.ts';
import type { Evaluation, MetricRow } from '../../marft/records.ts';
import type { ModelTerms, Places, PreferredBackend, Reply } from '../trainer/protocol.ts';

export interface RunRequest {
  experiment: Experiment;
  prefer: PreferredBackend;
  places: Places;
  terms: ModelTerms;
}

/** A run from its beginning to its verdict. */
export interface FinishedRun {
  rows: MetricRow[];
  /** On the schedule's final number of held-out problems, before and after training. */
  base: Evaluation;
  trained: Evaluation;
  backend: 'cpu' | 'wasm' | 'webgpu';
  /** Name and version. */
  model: string;
}

/** Completed iterations, and the latest training reward; null before any. */
export type RunProgress = (iteration: number, reward: number | null) => void;

export interface RunnerService {
  /** Trains the whole run. One at a time. */
  run(request: RunRequest, progress: RunProgress): Promise<Reply<FinishedRun>>;
  /** Waits at the end of the iteration in progress. */
  pause(): Promise<void>;
  goOn(): Promise<void>;
}
