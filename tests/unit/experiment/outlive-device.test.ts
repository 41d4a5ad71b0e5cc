import { describe, expect, it } from 'vitest';
import { outliveDevice, REPLACEMENTS } from '../../../src/experiment/outlive-device.ts';
import type { Session } from '../../../src/experiment/session.ts';
import { PlaygroundError } from '../../../src/runtime/errors.ts';

const LOST = new PlaygroundError('device-lost', 'The graphics processor was lost.', 'Start again.');
const LAST = 4;

const saved = (): Promise<void> => Promise.resolve();

/** A session whose state is its iteration, and which fails in the iterations of `failing`, one after the other. */
function sessions(failing: number[], error: Error = LOST) {
  const restored: number[] = [];
  const open = (): Session => {
    let iteration = 0;
    const trainer = {
      state: () => Promise.resolve({ iteration }),
      restore(state: { iteration: number }) {
        ({ iteration } = state);
        restored.push(iteration);
        return Promise.resolve();
      },
      async run(afterIteration: () => Promise<void>) {
        while (iteration < LAST) {
          if (failing[0] === iteration + 1) {
            failing.shift();
            throw error;
          }
          iteration += 1;
          await afterIteration();
        }
      },
    };
    return { trainer } as unknown as Session;
  };
  return { open, restored };
}

describe('a run whose device is lost', () => {
  it('goes on from its last completed iteration on another one, and says so', async () => {
    const { open, restored } = sessions([1, 3]);
    const told: string[] = [];
    await outliveDevice(open(), () => Promise.resolve(open()), saved, (message) => told.push(message));
    expect(restored).toEqual([0, 2]);
    expect(told).toEqual([
      'The graphics processor was lost. Going on from iteration 0 on a new one (attempt 1 of 3).',
      'The graphics processor was lost. Going on from iteration 2 on a new one (attempt 1 of 3).',
    ]);
  });

  it('ends with the loss when no iteration can be completed any more, also where opening again is what fails', async () => {
    const { open, restored } = sessions(Array.from({ length: 9 }, () => 2));
    await expect(outliveDevice(open(), () => Promise.resolve(open()), saved, () => undefined)).rejects.toBe(LOST);
    expect(restored).toEqual(Array.from({ length: REPLACEMENTS }, () => 1));
    let opened = 0;
    const never = (): Promise<Session> => {
      opened += 1;
      return Promise.reject(LOST);
    };
    await expect(outliveDevice(sessions([1]).open(), never, saved, () => undefined)).rejects.toBe(LOST);
    expect(opened).toBe(REPLACEMENTS);
  });

  it('ends at once with any other error', async () => {
    const other = new PlaygroundError('device-out-of-memory', 'There is no memory left.', 'Use less.');
    const { open, restored } = sessions([2], other);
    await expect(outliveDevice(open(), () => Promise.resolve(open()), saved, () => undefined)).rejects.toBe(other);
    expect(restored).toEqual([]);
  });
});
