/** What commands know of the terminal; tests hand in their own. */
export interface Terminal {
  /** To standard output, as it is. */
  print(text: string): void;
  /** To standard error, as it is. */
  complain(text: string): void;
  /** Whether a line on standard output can be overwritten. */
  readonly interactive: boolean;
  /** Calls back at each request to stop (Ctrl-C, or the signal that asks a process to end); returns how to stop listening. */
  onInterrupt(callback: (signal: InterruptSignal) => void): () => void;
}

export type InterruptSignal = 'SIGINT' | 'SIGTERM';

export interface Command {
  name: string;
  /** For the list of commands. */
  summary: string;
  help: string;
  /** Returns the exit code. */
  run(args: readonly string[], terminal: Terminal): Promise<number>;
}
