/** What the sandbox's two ends say to each other: one question at a time, one answer each. */
import type { Input, Language, Limits, Result } from './types.ts';

/** What an interpreter is made of: handed to its worker, which can fetch nothing itself. */
export interface PythonParts {
  language: 'python';
  /** Compiled `pyodide.asm.wasm`. */
  wasm: WebAssembly.Module;
  /** Address of `pyodide.asm.mjs`. */
  loader: string;
  /** `python_stdlib.zip`. */
  library: Uint8Array;
  /** Memory of an interpreter that has just started: with it the next one starts in a tenth of the time. */
  snapshot: Uint8Array | null;
}

export interface JavaScriptParts {
  language: 'javascript';
  /** Compiled QuickJS. */
  wasm: WebAssembly.Module;
}

export type Parts = PythonParts | JavaScriptParts;

export interface Job {
  code: string;
  input: Input;
  limits: Limits;
}

export type ToWorker = { type: 'start'; parts: Parts } | { type: 'run'; job: Job };

export type FromWorker =
  /** `snapshot`: of Python's first interpreter only. */
  | { type: 'started'; snapshot: Uint8Array | null }
  | { type: 'failed'; message: string }
  /** `spent`: this worker is not to be asked anything more. */
  | { type: 'result'; result: Result; spent: boolean };

/** A worker as its host sees it. */
export interface Channel {
  post(message: ToWorker): void;
  /** One listener for all that comes, and one for the worker's death, which is told at most once. */
  listen(onMessage: (message: FromWorker) => void, onDeath: (reason: Death) => void): void;
  /** Ends it at once, whatever it is doing. */
  kill(): void;
}

export type Death = 'memory' | 'crash';

/** Where a sandbox is: in a browser or in Node. */
export interface Platform {
  spawn(language: Language): Channel;
  /** Throws when the files cannot be had. */
  parts(language: Language): Promise<Parts>;
}
