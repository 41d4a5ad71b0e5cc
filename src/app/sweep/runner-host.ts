/** The worker's end: trains one whole run after the other, as the command line does, and keeps nothing of them. */
import { codeOf } from '../../experiment/carried-code.ts';
import { openSession } from '../../experiment/session.ts';
import type { Experiment } from '../../experiment/schema.ts';
import type { MetricRow, TrainerEvent } from '../../marft/records.ts';
import type { Trainer } from '../../marft/trainer.ts';
import type { Backend, BackendInfo } from '../../runtime/backend.ts';
import { PlaygroundError } from '../../runtime/errors.ts';
import { createWebBackend } from '../../runtime/web.ts';
import { pageServices } from '../data/page-services.ts';
import { webSandbox } from '../sandbox/web-sandbox.ts';
import { openModel } from '../trainer/open-model.ts';
import type { Reply } from '../trainer/protocol.ts';
import { reply } from '../trainer/reply.ts';
import type { FinishedRun, RunnerService, RunProgress, RunRequest } from './runner-protocol.ts';

export class RunnerHost implements RunnerService {
  #backend: Promise<{ backend: Backend; info: BackendInfo }> | null = null;
  #trainer: Trainer | null = null;
  /** Resolves when the run may go on; null: it may. */
  #held: { released: Promise<void>; release: () => void } | null = null;

  run({ experiment, prefer, places, terms }: RunRequest, progress: RunProgress): Promise<Reply<FinishedRun>> {
    return reply(async () => {
      this.#backend ??= createWebBackend({ prefer, assets: places.ort });
      const { backend, info } = await this.#backend;
      const model = await openModel(experiment.model, { kind: 'named' }, terms.token, places.models);
      const rows: MetricRow[] = [];
      const stop: { reason: string | null } = { reason: null };
      const listener = (event: TrainerEvent): void => {
        if (event.type === 'paused') stop.reason = event.reason;
        if (event.type !== 'iteration') return;
        rows.push(event.metrics);
        progress(event.metrics.iteration, event.metrics['reward/mean'] ?? null);
      };
      // A sweep asks nobody whether the code that it carries may run, so there is no sandbox for it.
      const sandbox = codeOf(experiment).length === 0 ? { sandbox: webSandbox() } : {};
      const resources = { backend, info, source: model.source, baseName: model.baseName, memoryLimit: model.embedded ? undefined : terms.memoryLimit, services: { ...(await pageServices(terms.token)), ...sandbox } };
      const session = await openSession(experiment, resources, listener);
      try {
        const base = await session.evaluate(experiment.schedule.finalEvalProblems);
        this.#trainer = session.trainer;
        await this.#train(experiment, session.trainer, stop);
        const trained = await session.evaluate(experiment.schedule.finalEvalProblems);
        return { rows, base, trained, backend: info.kind, model: model.version };
      } finally {
        this.#trainer = null;
        session.dispose();
      }
    });
  }

  pause(): Promise<void> {
    if (this.#held === null) {
      let release = (): void => undefined;
      const released = new Promise<void>((resolve) => (release = resolve));
      this.#held = { released, release };
    }
    this.#trainer?.pause();
    return Promise.resolve();
  }

  goOn(): Promise<void> {
    this.#held?.release();
    this.#held = null;
    return Promise.resolve();
  }

  async #train({ schedule }: Experiment, trainer: Trainer, stop: { reason: string | null }): Promise<void> {
    while (trainer.iteration < schedule.iterations) {
      await this.#held?.released;
      await trainer.run(() => Promise.resolve());
      if (stop.reason !== null) throw new PlaygroundError('diverged', `Training stopped at iteration ${trainer.iteration}: ${stop.reason}`, 'Try a smaller learning rate.');
    }
  }
}
