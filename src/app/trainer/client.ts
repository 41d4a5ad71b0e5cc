/** The page's end of the training worker: starts it, calls it, and notices when it dies. */
import type { TrainerService, Trouble } from './protocol.ts';
import { WorkerClient } from './worker-client.ts';

const CRASHED: Trouble = {
  message: 'The training worker stopped unexpectedly, perhaps because memory ran out.',
  hint: 'Curves and transcripts so far are kept on the page. Restart the worker to resume from what was saved, or to train again from the beginning.',
};

export class TrainerClient extends WorkerClient<TrainerService> {
  /** Starts a worker. `onCrash` is called at most once, also when no call is waiting. */
  constructor(onCrash: (trouble: Trouble) => void) {
    super(new Worker(new URL('../../../workers/trainer.ts', import.meta.url), { type: 'module', name: 'trainer' }), CRASHED, onCrash);
  }

  nextStage(): void {
    void this.service.nextStage();
  }

  finishStages(): void {
    void this.service.finishStages();
  }

  pause(): void {
    void this.service.pause();
  }
}
