/** The page's end of the worker that sees to models. */
import type { Trouble } from '../trainer/protocol.ts';
import { WorkerClient } from '../trainer/worker-client.ts';
import type { ModelsService } from './protocol.ts';

const CRASHED: Trouble = {
  message: 'The worker that downloads models stopped unexpectedly.',
  hint: 'What has been downloaded is kept. Try again.',
};

export class ModelsClient extends WorkerClient<ModelsService> {
  /** `standIn` is the address of an embedded model, ending in `/`. */
  constructor(standIn: string, onCrash: (trouble: Trouble) => void) {
    super(new Worker(new URL('../../../workers/models.ts', import.meta.url), { type: 'module', name: standIn }), CRASHED, onCrash);
  }

  stop(): void {
    void this.service.stop();
  }
}
