/** What a device can lack, as errors: `device-out-of-memory` and `device-limit`; `gpu-device.ts` has `device-lost`. */
import { PlaygroundError } from './errors.ts';

/** How allocators of the CPU backends say that there is no memory left. */
const EXHAUSTED = /bad_alloc|bad allocation|out of memory|allocation failed|failed to allocate|could not allocate|cannot enlarge memory/i;

export function isOutOfMemory(message: string): boolean {
  return EXHAUSTED.test(message);
}

/** `purpose` goes on from "has no memory left". */
export function outOfMemory(device: string, purpose: string, cause: unknown): PlaygroundError {
  return new PlaygroundError(
    'device-out-of-memory',
    `${device} has no memory left ${purpose}.`,
    'Use fewer episodes, shorter answers, a lower precision of the model, or a smaller model; close other programs that use much memory.',
    { cause },
  );
}
