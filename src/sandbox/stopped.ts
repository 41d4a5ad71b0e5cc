import type { Limits, Result, Stopped } from './types.ts';

/** The result of a program that went beyond a limit, in a sentence. */
export function stopped(reason: Stopped, limits: Limits): Result {
  switch (reason) {
    case 'timeout':
      return { kind: reason, message: `It took longer than ${limits.testMs / 1000} s.` };
    case 'memory':
      return { kind: reason, message: `It needed more than ${Math.round(limits.memoryBytes / 1e6)} MB of memory.` };
    case 'output':
      return { kind: reason, message: `It printed more than ${Math.round(limits.outputBytes / 1000)} kB.` };
  }
}
