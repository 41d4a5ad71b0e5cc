/** A sandbox's thread in Node, made to look like a browser's worker before any interpreter is loaded. */
import { parentPort } from 'node:worker_threads';
import type { ImportScript } from './interpreter.ts';
import { serve } from './serve.ts';

export function begin(importScript: ImportScript): void {
  const port = parentPort;
  if (!port) throw new Error('a sandbox needs a thread of its own');
  const location = { href: 'https://sandbox.invalid/', toString: () => 'https://sandbox.invalid/' };
  class WorkerGlobalScope {
    static [Symbol.hasInstance](value: unknown): boolean {
      return value === globalThis;
    }
  }
  const disguise = { process: undefined, WorkerGlobalScope, self: globalThis, location };
  for (const [name, value] of Object.entries(disguise)) Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  port.on('message', serve((message) => port.postMessage(message), importScript));
}
