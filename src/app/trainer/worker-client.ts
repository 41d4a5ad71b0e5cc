/** The page's end of a worker: calls it, and notices when it dies. */
import { wrap, type Remote } from 'comlink';
import type { Reply, Trouble } from './protocol.ts';

export class WorkerClient<Service> {
  protected readonly service: Remote<Service>;
  readonly #worker: Worker;
  readonly #crash: Promise<{ ok: false; trouble: Trouble }>;

  /** `onCrash` is called at most once, with `crashed`, also when no call is waiting. */
  constructor(worker: Worker, crashed: Trouble, onCrash: (trouble: Trouble) => void) {
    this.#worker = worker;
    this.service = wrap<Service>(worker);
    this.#crash = new Promise((resolve) => {
      const die = (event: Event): void => {
        event.preventDefault();
        worker.terminate();
        resolve({ ok: false, trouble: crashed });
        onCrash(crashed);
      };
      worker.addEventListener('error', die, { once: true });
      worker.addEventListener('messageerror', die, { once: true });
    });
  }

  /** The worker's reply, or that it crashed: a call to a dead worker would never settle by itself. */
  call<T>(request: (service: Remote<Service>) => Promise<Reply<T>>): Promise<Reply<T>> {
    return Promise.race([request(this.service), this.#crash]);
  }

  /** Ends the worker at once, whatever it is doing. */
  terminate(): void {
    this.#worker.terminate();
  }
}
