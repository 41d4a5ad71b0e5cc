/** The page's end of a worker that trains a sweep's runs. */
import type { Trouble } from '../trainer/protocol.ts';
import { WorkerClient } from '../trainer/worker-client.ts';
import type { RunnerService } from './runner-protocol.ts';

const CRASHED: Trouble = {
  message: 'The worker that trained this run stopped unexpectedly, perhaps because memory ran out.',
  hint: 'Run fewer at the same time.',
};

export class RunnerClient extends WorkerClient<RunnerService> {
  #alive = true;

  constructor() {
    super(new Worker(new URL('../../../workers/sweep-runner.ts', import.meta.url), { type: 'module', name: 'sweep-runner' }), CRASHED, () => (this.#alive = false));
  }

  /** Whether it can be given another run. */
  get alive(): boolean {
    return this.#alive;
  }

  pause(): void {
    void this.service.pause();
  }

  goOn(): void {
    void this.service.goOn();
  }
}
