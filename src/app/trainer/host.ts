/** The worker's end of the protocol: one backend for its life, one session at a time. */
import type { AdapterUpload } from '../../experiment/import-adapter.ts';
import type { Device } from '../../experiment/model-report.ts';
import type { Experiment } from '../../experiment/schema.ts';
import { openSession, type Session } from '../../experiment/session.ts';
import type { TrainerEvent } from '../../marft/records.ts';
import type { Backend, BackendInfo } from '../../runtime/backend.ts';
import { PlaygroundError } from '../../runtime/errors.ts';
import { createWebBackend } from '../../runtime/web.ts';
import { FILES_VERSION, openModel } from './open-model.ts';
import type { ModelAccess, ModelTerms, Places, PreferredBackend, Reply, ResumedRun, SavedRun, TrainerListener, TrainerService } from './protocol.ts';
import { reply } from './reply.ts';
import { RunKeeper, type Found } from './run-keeper.ts';

interface Prepared {
  backend: Backend;
  info: BackendInfo;
  models: string;
}

export class TrainerHost implements TrainerService {
  #prepared: Prepared | null = null;
  #session: Session | null = null;
  readonly #keeper = new RunKeeper();
  /** Pause as soon as the next iteration has begun: that is one iteration, after whatever has to come before it. */
  #pauseAfterOne = false;

  prepare(prefer: PreferredBackend, { ort, models }: Places): Promise<Reply<{ info: BackendInfo; device: Device }>> {
    return reply(async () => {
      this.#prepared ??= { ...(await createWebBackend({ prefer, assets: ort })), models };
      const { backend, info } = this.#prepared;
      const { kind, halfPrecision, limits } = backend;
      return { info, device: { kind, halfPrecision, limits } };
    });
  }

  open(experiment: Experiment, access: ModelAccess, terms: ModelTerms, listener: TrainerListener): Promise<Reply<null>> {
    return reply(async () => {
      await this.#openSession(experiment, access, terms, null, listener);
      return null;
    });
  }

  saved(): Promise<Reply<SavedRun | null>> {
    return reply(() => this.#keeper.describe());
  }

  resume(at: number | null, terms: ModelTerms, listener: TrainerListener): Promise<Reply<ResumedRun>> {
    return reply(async () => {
      const found = await this.#keeper.find(at);
      const notice = await this.#openSession(found.experiment, { kind: 'named' }, terms, found, listener);
      return { experiment: found.experiment, metrics: found.rows, episodes: found.episodes, notice };
    });
  }

  discard(): Promise<Reply<null>> {
    return reply(async () => {
      await this.#keeper.discard();
      return null;
    });
  }

  train(): Promise<Reply<null>> {
    return this.#run(false);
  }

  stepOne(): Promise<Reply<null>> {
    return this.#run(true);
  }

  pause(): Promise<void> {
    this.#session?.trainer.pause();
    return Promise.resolve();
  }

  adapters(): Promise<Reply<Map<string, Map<string, Uint8Array>>>> {
    return reply(() => this.#opened().adapters());
  }

  importAdapter(agent: string, files: AdapterUpload): Promise<Reply<null>> {
    return reply(async () => {
      await this.#opened().importAdapter(agent, files);
      return null;
    });
  }

  dispose(): Promise<void> {
    this.#closeSession();
    return Promise.resolve();
  }

  #run(pauseAfterOne: boolean): Promise<Reply<null>> {
    return reply(async () => {
      const { trainer } = this.#opened();
      this.#pauseAfterOne = pauseAfterOne;
      await trainer.run(() => this.#keeper.afterIteration(trainer));
      return null;
    });
  }

  /** Returns what is different from when the run was saved, in a sentence. */
  async #openSession(experiment: Experiment, access: ModelAccess, terms: ModelTerms, found: Found | null, listener: TrainerListener): Promise<string | null> {
    if (!this.#prepared) throw new Error('prepare comes before open');
    this.#closeSession();
    const { backend, info, models } = this.#prepared;
    const before = found?.checkpoint.manifest ?? null;
    if (before?.model === FILES_VERSION) {
      throw new PlaygroundError('model-files', 'The saved run was trained on files that you had chosen, which a page cannot open again by itself.', 'Discard it, choose the files again and start a new run.');
    }
    const model = await openModel(experiment.model, access, terms.token, models);
    const identity = { experiment, backend: info.kind, model: model.version };
    if (before !== null && before.model !== identity.model) {
      throw new PlaygroundError('model-other', 'The saved run was trained on another version of the model than this page has now.', 'Discard it and start a new one.');
    }
    const resources = { backend, info, source: model.source, baseName: model.baseName, memoryLimit: model.embedded ? undefined : terms.memoryLimit };
    this.#session = await openSession(experiment, resources, (event) => {
      this.#onEvent(event);
      listener(event);
    });
    if (found !== null) await this.#session.trainer.restore(found.checkpoint.state);
    await this.#keeper.begin(identity, experiment, found, (news) => listener({ type: 'saving', ...news }));
    if (before === null || before.backend === info.kind) return null;
    return `It was trained on ${before.backend} before and goes on on ${info.kind}: the numbers will not be the same to the last bit.`;
  }

  #opened(): Session {
    if (!this.#session) throw new Error('open comes first');
    return this.#session;
  }

  #onEvent(event: TrainerEvent): void {
    this.#keeper.onEvent(event);
    if (this.#pauseAfterOne && event.type === 'stage' && event.stage === 'rollout') this.#session?.trainer.pause();
  }

  #closeSession(): void {
    this.#keeper.end();
    this.#session?.dispose();
    this.#session = null;
  }
}
