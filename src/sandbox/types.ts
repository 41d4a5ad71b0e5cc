/** Programs that nobody trusts, run where they reach nothing: what goes in, and what can come of it. */

export const LANGUAGES = ['python', 'javascript'] as const;
export type Language = (typeof LANGUAGES)[number];

export interface Program {
  language: Language;
  code: string;
}

/**
 * What a program is run on. `stdin`: the whole program, with a text to read. `call`: the program, and then one of its functions (or a method of its
 * class `Solution`) with these arguments: a list as JSON text, so that no number loses digits on the way.
 */
export type Input = { kind: 'stdin'; text: string } | { kind: 'call'; name: string; args: string };

export interface Limits {
  /** Milliseconds that a program may take for one input, and for all of them. */
  testMs: number;
  totalMs: number;
  /** Bytes of the program's own memory. An interpreter takes some 30 million of Python's. */
  memoryBytes: number;
  /** Bytes that may be printed for one input. */
  outputBytes: number;
}

export const DEFAULT_LIMITS: Limits = { testMs: 4000, totalMs: 12_000, memoryBytes: 256 * 1024 * 1024, outputBytes: 1024 * 1024 };

/** The reasons for which a program is stopped. */
export type Stopped = 'timeout' | 'memory' | 'output';

/** What came of one input. `value` is what the function returned, as JSON text; null where none was called. Lines are counted from 1. */
export type Result =
  | { kind: 'ended'; output: string; value: string | null }
  | { kind: Stopped; message: string }
  | { kind: 'error'; message: string; line: number | null };

export interface Sandbox {
  /**
   * Runs the program on each input in turn, until `goOn` says that what came is enough. Programs never see anything of each other, and nothing of
   * the page, the computer or the network. Whatever a program does is a result; throws a PlaygroundError (`sandbox-unavailable`)
   * only where there can be no sandbox.
   */
  run(program: Program, inputs: readonly Input[], limits?: Limits, goOn?: (result: Result, index: number) => boolean): Promise<Result[]>;
  /** Ends all programs that are running. Whoever waits for them gets an error. */
  dispose(): void;
}

/** What may be called: a plain name, in both languages. */
export const FUNCTION_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,79}$/;
