/** One writer a run: whoever holds its lock. Everybody else reads, and hears of changes. */
import { PlaygroundError } from '../../runtime/errors.ts';

/** The channel on which whoever writes says so, by the run's id. */
export const RUNS_CHANGED = 'marft-runs';

/** How long another writer may take to go, in milliseconds: the page of before a reload needs a moment. */
const PATIENCE = 2000;

/** Returns how to give the lock back. Throws a PlaygroundError (`run-locked`) where another tab keeps it. */
export function takeRunLock(id: string): Promise<() => void> {
  return takeLock(`marft-run-${id}`, new PlaygroundError('run-locked', 'Another tab is training this run.', 'Go on in that tab, or close it; here the run can be looked at.'));
}

/** The same for a sweep. */
export function takeSweepLock(id: string): Promise<() => void> {
  return takeLock(`marft-sweep-${id}`, new PlaygroundError('sweep-locked', 'Another tab is running this sweep.', 'Go on in that tab, or close it.'));
}

function takeLock(name: string, refusal: PlaygroundError): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const held = navigator.locks.request(name, { signal: AbortSignal.timeout(PATIENCE) }, () => new Promise<void>((release) => resolve(release)));
    held.catch(() => reject(refusal));
  });
}
