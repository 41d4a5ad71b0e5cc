/** Programs that an experiment carries: whoever opens one from elsewhere is shown them before they run. */
import type { Language } from '../sandbox/types.ts';
import type { Experiment } from './schema.ts';

export interface CarriedCode {
  language: Language;
  code: string;
}

/** Every program in the experiment; mostly none. */
export function codeOf({ task }: Experiment): CarriedCode[] {
  return task.reward === undefined ? [] : [{ language: 'javascript', code: task.reward.code }];
}
