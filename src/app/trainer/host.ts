/** The worker's end of the protocol: one backend for its life, one session at a time. */
import { openHttp } from '../../checkpoint/http-source.ts';
import { modelChoice } from '../../experiment/model.ts';
import { embeddedVersion } from '../../experiment/model-version.ts';
import type { Experiment } from '../../experiment/schema.ts';
import { openSession, type Session } from '../../experiment/session.ts';
import type { TrainerEvent } from '../../marft/records.ts';
import type { Backend, BackendInfo } from '../../runtime/backend.ts';
import { PlaygroundError } from '../../runtime/errors.ts';
import { createWebBackend } from '../../runtime/web.ts';
import type { Places, PreferredBackend, Reply, ResumedRun, SavedRun, TrainerListener, TrainerService, Trouble } from './protocol.ts';
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

  prepare(prefer: PreferredBackend, { ort, models }: Places): Promise<Reply<BackendInfo>> {
    return reply(async () => {
      this.#prepared ??= { ...(await createWebBackend({ prefer, assets: ort })), models };
      return this.#prepared.info;
    });
  }

  open(experiment: Experiment, listener: TrainerListener): Promise<Reply<null>> {
    return reply(async () => {
      await this.#openSession(experiment, null, listener);
      return null;
    });
  }

  saved(): Promise<Reply<SavedRun | null>> {
    return reply(() => this.#keeper.describe());
  }

  resume(at: number | null, listener: TrainerListener): Promise<Reply<ResumedRun>> {
    return reply(async () => {
      const found = await this.#keeper.find(at);
      const notice = await this.#openSession(found.experiment, found, listener);
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

  dispose(): Promise<void> {
    this.#closeSession();
    return Promise.resolve();
  }

  #run(pauseAfterOne: boolean): Promise<Reply<null>> {
    return reply(async () => {
      if (!this.#session) throw new Error('open comes before train');
      this.#pauseAfterOne = pauseAfterOne;
      const { trainer } = this.#session;
      await trainer.run(() => this.#keeper.afterIteration(trainer));
      return null;
    });
  }

  /** Returns what is different from when the run was saved, in a sentence. */
  async #openSession(experiment: Experiment, found: Found | null, listener: TrainerListener): Promise<string | null> {
    if (!this.#prepared) throw new Error('prepare comes before open');
    this.#closeSession();
    const { backend, info, models } = this.#prepared;
    const choice = modelChoice(experiment.model);
    if (choice.kind !== 'embedded') {
      throw new PlaygroundError('model-elsewhere', `${choice.id.repository} is a model of the Hub, which only the command line can train so far.`, 'Choose a model that comes with the page.');
    }
    const source = openHttp(new URL(`${choice.name}/`, models).href);
    const identity = { experiment, backend: info.kind, model: await embeddedVersion(choice.name, source) };
    const before = found?.checkpoint.manifest ?? null;
    if (before !== null && before.model !== identity.model) {
      throw new PlaygroundError('model-other', 'The saved run was trained on another version of the model than this page has now.', 'Discard it and start a new one.');
    }
    this.#session = await openSession(experiment, { backend, info, source }, (event) => {
      this.#onEvent(event);
      listener(event);
    });
    if (found !== null) await this.#session.trainer.restore(found.checkpoint.state);
    await this.#keeper.begin(identity, experiment, found, (news) => listener({ type: 'saving', ...news }));
    if (before === null || before.backend === info.kind) return null;
    return `It was trained on ${before.backend} before and goes on on ${info.kind}: the numbers will not be the same to the last bit.`;
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

async function reply<T>(work: () => Promise<T>): Promise<Reply<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    return { ok: false, trouble: troubleOf(error) };
  }
}

function troubleOf(error: unknown): Trouble {
  if (error instanceof PlaygroundError) return { message: error.message, hint: error.hint };
  console.error(error);
  const detail = error instanceof Error ? error.message : String(error);
  return {
    message: `Something unexpected went wrong: ${detail}.`,
    hint: 'What is on the page is kept. Press Reset to start the training over, or reload the page.',
  };
}
