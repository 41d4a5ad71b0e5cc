/** A run that outlives its device: what a lost graphics processor takes with it is built again from the last completed iteration. */
import type { Trainer } from '../marft/trainer.ts';
import { PlaygroundError } from '../runtime/errors.ts';
import type { Session } from './session.ts';

/** Times that a device is replaced without an iteration completed in between. */
export const REPLACEMENTS = 3;

/**
 * Trains until the schedule's end or a pause. When the device is lost, `reopen` gives a fresh session of the same experiment on another one
 * (the lost one's is its to dispose), which is put to where the run stood. `afterIteration` is waited for, as by `Trainer.run`. `tell` hears of it, in a sentence. Throws what the session
 * throws, and the loss when devices keep being lost.
 */
export async function outliveDevice(
  session: Session,
  reopen: () => Promise<Session>,
  afterIteration: (trainer: Trainer) => Promise<void>,
  tell: (message: string) => void,
): Promise<void> {
  let current: Session | null = session;
  let state = await session.trainer.state();
  let replacements = 0;
  for (;;) {
    try {
      if (current === null) {
        current = await reopen();
        await current.trainer.restore(state);
      }
      const { trainer } = current;
      await trainer.run(async () => {
        // A lost device can no longer be read, so this cannot wait until it is needed.
        state = await trainer.state();
        replacements = 0;
        await afterIteration(trainer);
      });
      return;
    } catch (error) {
      if (!(error instanceof PlaygroundError) || error.code !== 'device-lost' || replacements === REPLACEMENTS) throw error;
      replacements += 1;
      current = null;
      tell(`${error.message} Going on from iteration ${state.iteration} on a new one (attempt ${replacements} of ${REPLACEMENTS}).`);
    }
  }
}
