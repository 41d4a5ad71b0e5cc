/** One run from the base model, or from where it was saved, to the files that it leaves. */
import { resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { describeMemory, megabytes } from '../engine/planner.ts';
import { openSession, type Session } from '../experiment/session.ts';
import type { Experiment } from '../experiment/schema.ts';
import type { Evaluation, TrainerEvent } from '../marft/records.ts';
import { Autosave, type SavingNews } from '../run-store/autosave.ts';
import type { RunIdentity } from '../run-store/checkpoint.ts';
import { CheckpointStore } from '../run-store/checkpoint-store.ts';
import { collectGarbage } from '../runtime/collect.ts';
import { PlaygroundError } from '../runtime/errors.ts';
import type { CommandLineBackend } from './backend-kinds.ts';
import { openBackend } from './backend.ts';
import { commandLineServices } from './data.ts';
import { describeDownload, modelArgument, modelVersion, openModel, type CommandLineModel, type HubAccess, type OpenedModel } from './models.ts';
import { duration, Progress, scores } from './progress.ts';
import { ResultBook } from './result.ts';
import { refuseOtherModel, type RunRecord, type SavedRun } from './resume.ts';
import { checkpointFiles, RunFolder } from './run-folder.ts';
import type { InterruptSignal, Terminal } from './terminal.ts';

export interface RunRequest {
  experiment: Experiment;
  /** The experiment's model, or a folder instead of it. */
  model: CommandLineModel;
  hub: HubAccess;
  backend: CommandLineBackend;
  /** Bytes. */
  memoryLimit: number | undefined;
  /** The user's file of problems. */
  data: string | undefined;
  /** Folder for the results. */
  out: string;
  /** Save after every so many iterations, and keep every so manieth to go back to; 0: keep none. */
  saveEvery: number;
  keepEvery: number;
  /** What to go on from; null: a new run. */
  saved: SavedRun | null;
}

/** What a shell reports for a process that the signal ended. */
const EXIT_CODES: Record<InterruptSignal, number> = { SIGINT: 130, SIGTERM: 143 };

/** Trains, and returns the exit code. The folder is the caller's to lock. */
export async function train(request: RunRequest, terminal: Terminal): Promise<number> {
  const { experiment, model, hub, backend, saved } = request;
  const progress = new Progress(terminal, experiment.schedule.iterations, secondsSoFar);
  try {
    progress.passing('loading …');
    const opened = await openModel(model, hub, (download) => progress.passing(describeDownload(download)));
    const identity = { experiment, backend, model: await modelVersion(model, opened) };
    // Before anything in the folder is touched.
    if (saved !== null) refuseOtherModel(saved.identity, identity.model);
    return await trainOn(opened, identity, request, terminal, progress);
  } finally {
    progress.settle();
  }
}

/** Counted from the start of the process, so that loading counts. */
function secondsSoFar(): number {
  return performance.now() / 1000;
}

async function trainOn(opened: OpenedModel, identity: RunIdentity, request: RunRequest, terminal: Terminal, progress: Progress): Promise<number> {
  const { experiment, model, hub, memoryLimit, data, out, saved } = request;
  const { iterations, finalEvalProblems } = experiment.schedule;
  const store = new CheckpointStore(checkpointFiles(out));
  if (saved !== null) await store.discardAfter(saved.state.iteration);
  const secondsInAll = (): number => secondsSoFar() + (saved?.record.seconds ?? 0);
  const book = new ResultBook(saved?.record.book);
  const folder = new RunFolder(out, saved?.record.logs);
  let session: Session | null = null;
  let interrupted: InterruptSignal | null = null;
  let diverged: string | null = null;

  const listener = (event: TrainerEvent): void => {
    if (event.type === 'iteration') {
      folder.addMetrics(event.metrics);
      for (const episode of event.episodes) folder.addTranscript(episode);
      collectGarbage();
      book.addIteration(event.metrics.iteration, event.metrics['reward/mean'] ?? Number.NaN, process.memoryUsage.rss());
    }
    if (event.type === 'evaluation') book.addEvaluation(event.iteration, event.evaluation);
    if (event.type === 'paused') diverged = event.reason;
    progress.tell(event);
  };
  const stopListening = terminal.onInterrupt((signal) => {
    if (interrupted !== null) process.exit(EXIT_CODES[signal]);
    interrupted = signal;
    progress.note('Stopping after this iteration; once more stops at once.');
    session?.trainer.pause();
  });

  try {
    folder.writeExperiment(experiment);
    const version = opened.commit === null ? opened.name : `${opened.name}@${opened.commit}`;
    if (model.kind !== 'embedded') progress.note(`Model: ${version}.`);
    session = await openSession(experiment, { ...(await openBackend(request.backend)), source: opened.source, baseName: opened.name, memoryLimit, services: commandLineServices(hub, data) }, listener);
    const { trainer } = session;
    if (session.precision !== 'f32') progress.note(`The base model is held in ${session.precision}.`);
    const { table, rows } = session.memory;
    progress.note(`Memory: ${describeMemory(table)} = ${megabytes(table.total)} MB, ${rows} of the longest sequences at once.`);

    if (saved !== null) {
      await trainer.restore(saved.state);
      progress.note(`Going on after iteration ${trainer.iteration} of ${iterations}.`);
      if (saved.identity.backend !== request.backend) {
        progress.note(`It was trained on ${saved.identity.backend} so far and goes on on ${request.backend}: its numbers will not be the same to the last bit.`);
      }
    }
    const base = saved?.record.base ?? (await baseEvaluation(session));
    const record = (): RunRecord => ({
      logs: folder.lengths(),
      model: modelArgument(model, opened.commit),
      memoryLimit: memoryLimit ?? null,
      ...(data === undefined ? {} : { data: resolve(data) }),
      base,
      book: book.state(),
      seconds: secondsInAll(),
    });
    const options = { every: request.saveEvery, keepEvery: request.keepEvery, record, tell: (news: SavingNews) => progress.note(savingWords(news)) };
    const autosave = new Autosave(store, identity, options, saved === null ? null : trainer.iteration);
    await autosave.save(trainer);
    if (signalled() === null) await trainer.run(() => autosave.afterIteration(trainer));
    if (diverged === null) await autosave.save(trainer);
    folder.lengths();
    for (const [agent, files] of await session.adapters()) folder.writeAdapter(agent, files);

    const signal = signalled();
    if (signal !== null && trainer.iteration < iterations) {
      progress.settle();
      terminal.complain(`Interrupted after iteration ${trainer.iteration} of ${iterations}; what was learned so far is in ${out}. To go on: run --resume ${out}\n`);
      return EXIT_CODES[signal];
    }
    if (diverged !== null) throw new PlaygroundError('diverged', `Training stopped at iteration ${trainer.iteration}.`, diverged);

    progress.passing(`evaluating the trained team on ${finalEvalProblems} held-out problems …`);
    const trained = await session.evaluate(finalEvalProblems);
    folder.writeResult(book.result(base, trained, session.task.chance, secondsInAll(), version));
    progress.note(`Trained team on the same problems: ${scores(trained)}.`);
    progress.note(`Done in ${duration(secondsInAll())}; everything is in ${out}.`);
    return 0;
  } finally {
    stopListening();
    folder.close();
    session?.dispose();
  }

  async function baseEvaluation({ evaluate, task }: Session): Promise<Evaluation> {
    progress.passing(`evaluating the base model on ${finalEvalProblems} held-out problems …`);
    const base = await evaluate(finalEvalProblems);
    progress.note(`Base model on ${finalEvalProblems} held-out problems: ${scores(base)}; chance ${task.chance.toFixed(3)}.`);
    return base;
  }

  /** Read through a function: signals arrive while this one waits. */
  function signalled(): InterruptSignal | null {
    return interrupted;
  }
}

function savingWords({ saved, problem }: SavingNews): string {
  const last = saved === null ? 'Nothing is saved so far' : `The last iteration that is saved is ${saved}`;
  return problem === null ? `The run is saved again, up to iteration ${saved}.` : `The run cannot be saved: ${problem} Training goes on. ${last}.`;
}
