/** The page's end of the worker that compares runs. */
import { wrap, type Remote } from 'comlink';
import type { Comparison, Group } from '../../experiment/compare-runs.ts';
import { PlaygroundError } from '../../runtime/errors.ts';

interface Service {
  compareGroups(groups: readonly Group[]): Comparison;
}

export class Statistician {
  readonly #remote: Remote<Service>;
  readonly #lost: Promise<never>;

  /** `onLost` is called when the worker has died; another one is needed then. */
  constructor(onLost: () => void) {
    const worker = new Worker(new URL('../../../workers/compare.ts', import.meta.url), { type: 'module', name: 'compare' });
    this.#remote = wrap<Service>(worker);
    this.#lost = new Promise<never>((_, reject) => {
      const die = (event: Event): void => {
        event.preventDefault();
        worker.terminate();
        onLost();
        reject(new PlaygroundError('worker-lost', 'The worker that compares the runs stopped unexpectedly.', 'Choose fewer runs and try again.'));
      };
      worker.addEventListener('error', die, { once: true });
    });
    // Whoever waits hears of it; nobody has to.
    this.#lost.catch(() => undefined);
  }

  /** Throws a PlaygroundError (`worker-lost`) where the worker dies of it. */
  compare(groups: readonly Group[]): Promise<Comparison> {
    return Promise.race([this.#remote.compareGroups(groups), this.#lost]);
  }
}
