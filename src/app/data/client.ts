/** The page's end of the worker that reads data. */
import type { Trouble } from '../trainer/protocol.ts';
import { WorkerClient } from '../trainer/worker-client.ts';
import type { DataService } from './protocol.ts';

const CRASHED: Trouble = {
  message: 'The worker that reads data stopped unexpectedly, perhaps because memory ran out.',
  hint: 'Try again with fewer rows or a smaller file.',
};

export class DataClient extends WorkerClient<DataService> {
  constructor(onCrash: () => void) {
    super(new Worker(new URL('../../../workers/data.ts', import.meta.url), { type: 'module', name: 'data' }), CRASHED, onCrash);
  }
}
