/** Going on with a run from what it has saved. */
import { z } from 'zod';
import { firstDifference } from '../experiment/compare.ts';
import { parseExperiment, type Experiment } from '../experiment/schema.ts';
import type { TrainerState } from '../marft/trainer-state.ts';
import type { Manifest, RunIdentity } from '../run-store/checkpoint.ts';
import { CheckpointStore } from '../run-store/checkpoint-store.ts';
import { PlaygroundError } from '../runtime/errors.ts';
import { backendByName, type CommandLineBackend } from './backend-kinds.ts';
import { readModel, type CommandLineModel } from './models.ts';
import { bookSchema, evaluationSchema } from './result.ts';
import { checkpointFiles, missingLines } from './run-folder.ts';

z.config({ jitless: true });

/** What the command line saves of a run besides the trainer's state. */
export const recordSchema = z.strictObject({
  /** Bytes of the files of lines. */
  logs: z.strictObject({ metrics: z.int().min(0), transcripts: z.int().min(0) }),
  /** The model, as --model takes it. */
  model: z.string(),
  /** Bytes; playing in other parts would round differently. */
  memoryLimit: z.number().positive().nullable(),
  /** The user's file of problems, where there is one. */
  data: z.string().optional(),
  /** The untrained team on held-out problems. */
  base: evaluationSchema,
  book: bookSchema,
  /** Seconds that the run has taken so far. */
  seconds: z.number().min(0),
});
export type RunRecord = z.output<typeof recordSchema>;

/** A run as it was saved. */
export interface SavedRun {
  experiment: Experiment;
  model: CommandLineModel;
  identity: RunIdentity;
  state: TrainerState;
  record: RunRecord;
  backend: CommandLineBackend | null;
}

/**
 * The newest checkpoint in a run's folder that is whole and goes with the run's other files, or that of iteration `at`. Throws a PlaygroundError where there is none, or when it is of another experiment than `wanted`.
 */
export async function readSavedRun(folder: string, at: number | null, wanted: Experiment | null, tell: (sentence: string) => void): Promise<SavedRun> {
  const store = new CheckpointStore(checkpointFiles(folder));
  const objection = ({ record }: Manifest): string | null => {
    const read = recordSchema.safeParse(record);
    return read.success ? missingLines(folder, read.data.logs) : 'It was not saved by the command line.';
  };
  const checkpoint = await store.load(at, objection, tell);
  if (checkpoint === null) {
    throw new PlaygroundError('checkpoint-missing', `Nothing is saved in ${folder}.`, 'Name the folder of a run that has begun, or start one without --resume.');
  }
  const { manifest, state } = checkpoint;
  const experiment = parseExperiment(manifest.experiment);
  if (wanted !== null) refuseOther(folder, experiment, wanted);
  const record = recordSchema.parse(manifest.record);
  return { experiment, model: readModel(record.model), identity: manifest, state, record, backend: backendByName(manifest.backend) };
}

function refuseOther(folder: string, saved: Experiment, wanted: Experiment): void {
  const difference = firstDifference(saved, wanted);
  if (difference === null) return;
  const { path, values } = difference;
  throw new PlaygroundError(
    'experiment-other',
    `The run in ${folder} is of another experiment: its ${path} is ${values[0]}, not ${values[1]}.`,
    'Leave the experiment out, so that the run goes on as it was begun, or start a new one in another folder.',
  );
}

/** Throws a PlaygroundError when a run was trained on another version of the model than the one at hand. */
export function refuseOtherModel(saved: RunIdentity, model: string): void {
  if (saved.model === model) return;
  throw new PlaygroundError(
    'model-other',
    `The run was trained on ${saved.model}, not on ${model}.`,
    'Name that model with --model, or start a new run.',
  );
}
