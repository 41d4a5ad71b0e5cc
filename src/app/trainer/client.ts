/** The page's end of the training worker: starts it, calls it, and notices when it dies. */
import { wrap, type Remote } from 'comlink';
import type { Reply, TrainerService, Trouble } from './protocol.ts';

const CRASHED: Trouble = {
  message: 'The training worker stopped unexpectedly, perhaps because memory ran out.',
  hint: 'Curves and transcripts so far are kept on the page. Restart the worker to resume from what was saved, or to train again from the beginning.',
};

export class TrainerClient {
  readonly #worker: Worker;
  readonly #service: Remote<TrainerService>;
  readonly #crash: Promise<{ ok: false; trouble: Trouble }>;

  /** Starts a worker. `onCrash` is called at most once, also when no call is waiting. */
  constructor(onCrash: (trouble: Trouble) => void) {
    this.#worker = new Worker(new URL('../../../workers/trainer.ts', import.meta.url), { type: 'module', name: 'trainer' });
    this.#service = wrap<TrainerService>(this.#worker);
    this.#crash = new Promise((resolve) => {
      const crashed = (event: Event): void => {
        event.preventDefault();
        this.#worker.terminate();
        resolve({ ok: false, trouble: CRASHED });
        onCrash(CRASHED);
      };
      this.#worker.addEventListener('error', crashed, { once: true });
      this.#worker.addEventListener('messageerror', crashed, { once: true });
    });
  }

  /** The worker's reply, or that it crashed: a call to a dead worker would never settle by itself. */
  call<T>(request: (service: Remote<TrainerService>) => Promise<Reply<T>>): Promise<Reply<T>> {
    return Promise.race([request(this.#service), this.#crash]);
  }

  pause(): void {
    void this.#service.pause();
  }

  /** Ends the worker at once, whatever it is doing. */
  terminate(): void {
    this.#worker.terminate();
  }
}
