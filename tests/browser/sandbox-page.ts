/** A page that does nothing but run programs in its sandbox, by itself and from a worker of its own, as training does. */
import { webSandbox } from '../../src/app/sandbox/web-sandbox.ts';
import type { Input, Limits, Program, Result } from '../../src/sandbox/types.ts';
import type { CodeOptions } from '../../src/tasks/code/code.ts';
import type { Verdict } from '../../src/tasks/types.ts';

export interface Ran {
  results: Result[];
  ms: number;
}

/** Answers to one of the built-in programming problems, judged one after the other. */
export interface Judging {
  options: Partial<CodeOptions>;
  /** Words of the problem's question. */
  words: string;
  answers: readonly string[];
}

export interface SandboxPage {
  run(program: Program, inputs: readonly Input[], limits?: Limits): Promise<Ran>;
  judge(judging: Judging): Promise<Verdict[]>;
}

declare global {
  interface Window {
    sandboxPage: SandboxPage;
  }
}

const sandbox = webSandbox();

window.sandboxPage = {
  async run(program, inputs, limits) {
    const start = performance.now();
    const results = await sandbox.run(program, inputs, limits);
    return { results, ms: performance.now() - start };
  },
  judge: (judging) =>
    new Promise((resolve, reject) => {
      const worker = new Worker(new URL('./judge-worker.ts', import.meta.url), { type: 'module' });
      worker.addEventListener('message', ({ data }: MessageEvent<Verdict[]>) => {
        worker.terminate();
        resolve(data);
      });
      worker.addEventListener('error', (event) => reject(new Error(event.message)));
      worker.postMessage(judging);
    }),
};
