/** The worker's end of the protocol: one backend until its device is lost, one session at a time. */
import type { AdapterUpload } from '../../experiment/import-adapter.ts';
import type { Device } from '../../experiment/model-report.ts';
import type { Experiment } from '../../experiment/schema.ts';
import { outliveDevice } from '../../experiment/outlive-device.ts';
import { openSession, type Session } from '../../experiment/session.ts';
import type { TrainerEvent } from '../../marft/records.ts';
import type { Trainer } from '../../marft/trainer.ts';
import type { Backend, BackendInfo } from '../../runtime/backend.ts';
import { PlaygroundError } from '../../runtime/errors.ts';
import { createWebBackend } from '../../runtime/web.ts';
import { AnsweringDesk, exampleQuestions } from '../ask/answering.ts';
import type { AnswerEnd, AnswerListener, Asked, ExampleQuestion } from '../ask/protocol.ts';
import { pageServices } from '../data/page-services.ts';
import { webSandbox } from '../sandbox/web-sandbox.ts';
import { FILES_VERSION, openModel } from './open-model.ts';
import type { ModelAccess, ModelTerms, Places, PreferredBackend, Reply, ResumedRun, SavedRun, TrainerListener, TrainerService } from './protocol.ts';
import { reply } from './reply.ts';
import { RunKeeper, type Found } from './run-keeper.ts';
import { StageGate } from './stage-gate.ts';

interface Prepared {
  backend: Backend;
  info: BackendInfo;
  prefer: PreferredBackend;
  places: Places;
}

export class TrainerHost implements TrainerService {
  #prepared: Prepared | null = null;
  #session: Session | null = null;
  /** Opens the session's experiment on the backend there is, instead of the session. */
  #load: () => Promise<Session> = never;
  #listener: TrainerListener = () => undefined;
  readonly #keeper = new RunKeeper();
  /** Pause as soon as the next iteration has begun: that is one iteration, after whatever has to come before it. */
  #pauseAfterOne = false;
  readonly #gate = new StageGate();
  readonly #desk = new AnsweringDesk();
  #training = false;

  prepare(prefer: PreferredBackend, places: Places): Promise<Reply<{ info: BackendInfo; device: Device }>> {
    return reply(async () => {
      this.#prepared ??= await prepared(prefer, places);
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

  experimentOf(id: string, at: number | null): Promise<Reply<Experiment>> {
    return reply(async () => {
      // Its own lock must not be in the way.
      if (this.#keeper.id === id) await this.#closeSession();
      return (await this.#keeper.find(id, at)).experiment;
    });
  }

  resume(id: string, at: number | null, terms: ModelTerms, listener: TrainerListener): Promise<Reply<ResumedRun>> {
    return reply(async () => {
      // Its own lock must not be in the way.
      await this.#closeSession();
      const found = await this.#keeper.find(id, at);
      const notice = await this.#openSession(found.experiment, { kind: 'named' }, terms, found, listener);
      return { experiment: found.experiment, metrics: found.rows, episodes: found.episodes, notice };
    });
  }

  discard(id: string): Promise<Reply<null>> {
    return reply(async () => {
      await this.#keeper.discard(id);
      return null;
    });
  }

  train(): Promise<Reply<null>> {
    return this.#run(false);
  }

  stepOne(): Promise<Reply<null>> {
    return this.#run(true);
  }

  stepByStage(): Promise<Reply<null>> {
    return this.#run(true, true);
  }

  nextStage(): Promise<void> {
    this.#gate.next();
    return Promise.resolve();
  }

  finishStages(): Promise<void> {
    this.#gate.open();
    return Promise.resolve();
  }

  pause(): Promise<void> {
    this.#gate.open();
    // Should the iteration's device be lost, the next one ends the run.
    this.#pauseAfterOne = true;
    this.#session?.trainer.pause();
    return Promise.resolve();
  }

  adapters(): Promise<Reply<Map<string, Map<string, Uint8Array>>>> {
    return reply(() => this.#opened().adapters());
  }

  importAdapter(agent: string, files: AdapterUpload): Promise<Reply<null>> {
    return reply(async () => {
      await this.#desk.stop();
      await this.#opened().importAdapter(agent, files);
      return null;
    });
  }

  exampleQuestions(): Promise<Reply<ExampleQuestion[]>> {
    return reply(() => Promise.resolve(exampleQuestions(this.#opened())));
  }

  ask(asked: Asked, listener: AnswerListener): Promise<Reply<AnswerEnd>> {
    return reply(() => {
      if (this.#training) throw new PlaygroundError('team-trains', 'The team is training and cannot be asked now.', 'Pause, then ask.');
      return this.#desk.ask(this.#opened(), asked, listener);
    });
  }

  stopAnswers(): Promise<void> {
    return this.#desk.stop();
  }

  dispose(): Promise<void> {
    return this.#closeSession();
  }

  #run(pauseAfterOne: boolean, slow = false): Promise<Reply<null>> {
    return reply(async () => {
      const session = this.#opened();
      this.#pauseAfterOne = pauseAfterOne;
      this.#training = true;
      try {
        await this.#desk.stop();
        await this.#train(session, slow);
      } finally {
        this.#training = false;
      }
      return null;
    });
  }

  async #train(session: Session, slow: boolean): Promise<void> {
    if (slow) this.#gate.hold(session.trainer, (done) => this.#listener({ type: 'held', ...done }));
    const afterIteration = (trainer: Trainer): Promise<void> => this.#keeper.afterIteration(trainer);
    if (this.#prepared?.backend.kind === 'webgpu') await outliveDevice(session, () => this.#replace(), afterIteration, (message) => this.#listener({ type: 'loading', message }));
    else await session.trainer.run(() => afterIteration(session.trainer));
  }

  /** Returns what is different from when the run was saved, in a sentence. */
  async #openSession(experiment: Experiment, access: ModelAccess, terms: ModelTerms, found: Found | null, listener: TrainerListener): Promise<string | null> {
    if (!this.#prepared) throw new Error('prepare comes before open');
    await this.#closeSession();
    const { info, places } = this.#prepared;
    const before = found?.checkpoint.manifest ?? null;
    if (before?.model === FILES_VERSION) {
      throw new PlaygroundError('model-files', 'The saved run was trained on files that you had chosen, which a page cannot open again by itself.', 'Discard it, choose the files again and start a new run.');
    }
    const model = await openModel(experiment.model, access, terms.token, places.models);
    const identity = { experiment, backend: info.kind, model: model.version };
    if (before !== null && before.model !== identity.model) {
      throw new PlaygroundError('model-other', 'The saved run was trained on another version of the model than this page has now.', 'Discard it and start a new one.');
    }
    const load = async (): Promise<Session> => {
      const resources = { ...(this.#prepared ?? never()), source: model.source, baseName: model.baseName, memoryLimit: model.embedded ? undefined : terms.memoryLimit, services: { ...(await pageServices(terms.token)), sandbox: webSandbox() } };
      this.#session?.dispose();
      this.#session = null;
      this.#session = await openSession(experiment, resources, (event) => {
        this.#onEvent(event);
        listener(event);
      });
      return this.#session;
    };
    this.#load = load;
    this.#listener = listener;
    const session = await load();
    if (found !== null) await session.trainer.restore(found.checkpoint.state);
    await this.#keeper.begin(identity, experiment, found, (news) => listener({ type: 'saving', run: this.#keeper.id, ...news }));
    if (before === null || before.backend === info.kind) return null;
    return `It was trained on ${before.backend} before and goes on on ${info.kind}: the numbers will not be the same to the last bit.`;
  }

  /** The same experiment, with the same run being saved, on whatever backend there now is. */
  async #replace(): Promise<Session> {
    const { prefer, places } = this.#prepared ?? never();
    this.#prepared = await prepared(prefer, places);
    return this.#load();
  }

  #opened(): Session {
    if (!this.#session) throw new Error('open comes first');
    return this.#session;
  }

  #onEvent(event: TrainerEvent): void {
    this.#keeper.onEvent(event);
    if (this.#pauseAfterOne && event.type === 'stage' && event.stage === 'rollout') this.#session?.trainer.pause();
  }

  async #closeSession(): Promise<void> {
    await this.#desk.stop();
    this.#keeper.end();
    this.#session?.dispose();
    this.#session = null;
  }
}

async function prepared(prefer: PreferredBackend, places: Places): Promise<Prepared> {
  return { ...(await createWebBackend({ prefer, assets: places.ort })), prefer, places };
}

function never(): never {
  throw new Error('open comes before train');
}
