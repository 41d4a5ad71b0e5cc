/** One run from the base model to the files that it leaves. */
import { performance } from 'node:perf_hooks';
import { describeMemory, megabytes } from '../engine/planner.ts';
import { openSession, type Session } from '../experiment/session.ts';
import type { Experiment } from '../experiment/schema.ts';
import type { TrainerEvent } from '../marft/records.ts';
import { PlaygroundError } from '../runtime/errors.ts';
import type { CommandLineBackend } from './backend-kinds.ts';
import { openBackend } from './backend.ts';
import { collectGarbage } from './collect.ts';
import { describeDownload, openModel, type CommandLineModel, type HubAccess } from './models.ts';
import { duration, Progress, scores } from './progress.ts';
import { ResultBook } from './result.ts';
import { RunFolder } from './run-folder.ts';
import type { InterruptSignal, Terminal } from './terminal.ts';

export interface RunRequest {
  experiment: Experiment;
  /** The experiment's model, or a folder instead of it. */
  model: CommandLineModel;
  hub: HubAccess;
  backend: CommandLineBackend;
  /** Bytes. */
  memoryLimit: number | undefined;
  /** Folder for the results. */
  out: string;
}

/** What a shell reports for a process that the signal ended. */
const EXIT_CODES: Record<InterruptSignal, number> = { SIGINT: 130, SIGTERM: 143 };

/** Trains, and returns the exit code. */
export async function train({ experiment, model, hub, backend, memoryLimit, out }: RunRequest, terminal: Terminal): Promise<number> {
  const { iterations, finalEvalProblems } = experiment.schedule;
  // Counted from the start of the process, so that loading counts.
  const secondsSoFar = (): number => performance.now() / 1000;
  const progress = new Progress(terminal, iterations, secondsSoFar);
  const book = new ResultBook();
  const folder = new RunFolder(out);
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
    progress.passing('loading …');
    const { source, name, commit } = await openModel(model, hub, (download) => progress.passing(describeDownload(download)));
    const version = commit === null ? name : `${name}@${commit}`;
    if (model.kind !== 'embedded') progress.note(`Model: ${version}.`);
    session = await openSession(experiment, { ...(await openBackend(backend)), source, baseName: name, memoryLimit }, listener);
    const { table, rows } = session.memory;
    progress.note(`Memory: ${describeMemory(table)} = ${megabytes(table.total)} MB, ${rows} of the longest sequences at once.`);

    progress.passing(`evaluating the base model on ${finalEvalProblems} held-out problems …`);
    const base = await session.evaluate(finalEvalProblems);
    progress.note(`Base model on ${finalEvalProblems} held-out problems: ${scores(base)}; chance ${session.task.chance.toFixed(3)}.`);
    if (signalled() === null) await session.trainer.run();
    for (const [agent, files] of await session.adapters()) folder.writeAdapter(agent, files);

    const signal = signalled();
    if (signal !== null && session.trainer.iteration < iterations) {
      progress.settle();
      terminal.complain(`Interrupted after iteration ${session.trainer.iteration} of ${iterations}; what was learned so far is in ${out}.\n`);
      return EXIT_CODES[signal];
    }
    if (diverged !== null) throw new PlaygroundError('diverged', `Training stopped at iteration ${session.trainer.iteration}.`, diverged);

    progress.passing(`evaluating the trained team on ${finalEvalProblems} held-out problems …`);
    const trained = await session.evaluate(finalEvalProblems);
    folder.writeResult(book.result(base, trained, session.task.chance, secondsSoFar(), version));
    progress.note(`Trained team on the same problems: ${scores(trained)}.`);
    progress.note(`Done in ${duration(secondsSoFar())}; everything is in ${out}.`);
    return 0;
  } finally {
    progress.settle();
    stopListening();
    folder.close();
    session?.dispose();
  }

  /** Read through a function: signals arrive while this one waits. */
  function signalled(): InterruptSignal | null {
    return interrupted;
  }
}
