/** The host's end: workers that are started, asked, timed and ended. */
import { PlaygroundError } from '../runtime/errors.ts';
import type { Channel, Death, FromWorker, Job, Parts, Platform } from './protocol.ts';
import { stopped } from './stopped.ts';
import { DEFAULT_LIMITS, FUNCTION_NAME, LANGUAGES, type Input, type Language, type Limits, type Program, type Result, type Sandbox } from './types.ts';

/** A slow computer with everything still to be compiled is done by then. */
const START_MS = 120_000;
/** JavaScript's engine stops a program itself; only where it does not its worker is ended, this much later. */
const GRACE_MS: Record<Language, number> = { python: 0, javascript: 1000 };
/** A program that broke this many interpreters is not given another one. */
const MAX_BROKEN = 3;

/** A worker with its interpreter. */
interface Cell {
  started: Promise<void>;
  ask(job: Job, language: Language): Promise<{ result: Result; spent: boolean }>;
  kill(): void;
}

/** `width` programs of each language run at the same time; Python's next interpreter is started ahead. */
export function createSandbox(platform: Platform, width = 1): Sandbox {
  const lanes = Object.fromEntries(LANGUAGES.map((language) => [language, new Lane(platform, language, width)])) as Record<Language, Lane>;
  return {
    run: (program, inputs, limits = DEFAULT_LIMITS, goOn = () => true) => lanes[program.language].run(program, inputs, limits, goOn),
    dispose: () => Object.values(lanes).forEach((lane) => lane.dispose()),
  };
}

/** Everything of one language. */
class Lane {
  readonly #platform: Platform;
  readonly #language: Language;
  #parts: Promise<Parts> | null = null;
  #idle: Cell[] = [];
  readonly #cells = new Set<Cell>();
  #free: number;
  readonly #waiting: (() => void)[] = [];
  #disposed = false;

  constructor(platform: Platform, language: Language, width: number) {
    this.#platform = platform;
    this.#language = language;
    this.#free = width;
  }

  async run({ code }: Program, inputs: readonly Input[], limits: Limits, goOn: (result: Result, index: number) => boolean): Promise<Result[]> {
    for (const input of inputs) if (input.kind === 'call' && !FUNCTION_NAME.test(input.name)) throw new RangeError(`${input.name} is no name of a function`);
    await this.#turn();
    let cell: Cell | null = null;
    const results: Result[] = [];
    let [left, broken] = [limits.totalMs, 0];
    try {
      for (const [index, input] of inputs.entries()) {
        if (left <= 0 || broken >= MAX_BROKEN) {
          results.push(left <= 0 ? { kind: 'timeout', message: `All inputs together took longer than ${limits.totalMs / 1000} s.` } : { kind: 'error', message: 'It broke too many interpreters.', line: null });
        } else {
          cell ??= await this.#take();
          const start = performance.now();
          const { result, spent } = await cell.ask({ code, input, limits: { ...limits, testMs: Math.min(limits.testMs, left) } }, this.#language);
          left -= performance.now() - start;
          if (this.#disposed) throw ended();
          results.push(result);
          if (spent) {
            broken += 1;
            this.#drop(cell);
            cell = null;
          }
        }
        const latest = results.at(-1);
        if (latest && !goOn(latest, index)) break;
      }
      return results;
    } finally {
      if (cell) this.#giveBack(cell);
      this.#free += 1;
      this.#waiting.shift()?.();
    }
  }

  dispose(): void {
    this.#disposed = true;
    for (const cell of [...this.#cells]) this.#drop(cell);
    for (const wake of this.#waiting.splice(0)) wake();
  }

  async #turn(): Promise<void> {
    while (this.#free <= 0 && !this.#disposed) await new Promise<void>((wake) => this.#waiting.push(wake));
    if (this.#disposed) throw ended();
    this.#free -= 1;
  }

  async #take(): Promise<Cell> {
    const cell = this.#idle.pop() ?? (await this.#start());
    // While this one is busy the next one can start.
    try {
      await cell.started;
    } catch (cause) {
      this.#drop(cell);
      throw this.#disposed ? ended() : unavailable(this.#language, cause);
    }
    if (this.#language === 'python' && this.#idle.length === 0 && !this.#disposed) this.#idle.push(await this.#start());
    return cell;
  }

  /** A started cell is killed once it has served a program of Python's: the next program must find nothing of it. */
  #giveBack(cell: Cell): void {
    if (this.#language === 'python' || this.#disposed) this.#drop(cell);
    else this.#idle.push(cell);
  }

  #drop(cell: Cell): void {
    this.#cells.delete(cell);
    this.#idle = this.#idle.filter((one) => one !== cell);
    cell.kill();
  }

  async #start(): Promise<Cell> {
    let parts: Parts;
    try {
      this.#parts ??= this.#platform.parts(this.#language);
      parts = await this.#parts;
    } catch (cause) {
      this.#parts = null;
      throw unavailable(this.#language, cause);
    }
    const cell = openCell(this.#platform.spawn(this.#language), parts, (snapshot) => {
      if (parts.language === 'python') this.#parts = Promise.resolve({ ...parts, snapshot });
    });
    this.#cells.add(cell);
    return cell;
  }
}

function openCell(channel: Channel, parts: Parts, keep: (snapshot: Uint8Array) => void): Cell {
  let onMessage: (message: FromWorker) => void = () => undefined;
  let onDeath: (reason: Death) => void = () => undefined;
  let dead: Death | null = null;
  channel.listen(
    (message) => onMessage(message),
    (reason) => {
      dead = reason;
      onDeath(reason);
    },
  );
  const started = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the interpreter did not start in time')), START_MS);
    onDeath = (reason) => {
      clearTimeout(timer);
      reject(new Error(`its worker ended (${reason})`));
    };
    onMessage = (message) => {
      clearTimeout(timer);
      if (message.type !== 'started') return reject(new Error(message.type === 'failed' ? message.message : 'it answered before it was asked'));
      if (message.snapshot) keep(message.snapshot);
      resolve();
    };
  });
  // Whoever takes the cell hears of it; one that nobody takes is nobody's trouble.
  started.catch(() => undefined);
  channel.post({ type: 'start', parts });
  return {
    started,
    kill() {
      channel.kill();
      onDeath('crash');
    },
    ask: (job, language) =>
      new Promise((resolve) => {
        const crashed = (reason: Death): { result: Result; spent: boolean } => ({
          result: reason === 'memory' ? stopped('memory', job.limits) : { kind: 'error', message: 'It broke the interpreter.', line: null },
          spent: true,
        });
        if (dead !== null) return resolve(crashed(dead));
        const timer = setTimeout(() => resolve({ result: stopped('timeout', job.limits), spent: true }), job.limits.testMs + GRACE_MS[language]);
        onDeath = (reason) => {
          clearTimeout(timer);
          resolve(crashed(reason));
        };
        onMessage = (message) => {
          clearTimeout(timer);
          resolve(message.type === 'result' ? { result: message.result, spent: message.spent } : crashed('crash'));
        };
        channel.post({ type: 'run', job });
      }),
  };
}

function ended(): Error {
  return new PlaygroundError('sandbox-ended', 'The program was ended with its run.', 'Start the run again.');
}

function unavailable(language: Language, cause: unknown): PlaygroundError {
  const name = language === 'python' ? 'Python' : 'JavaScript';
  return new PlaygroundError('sandbox-unavailable', `The sandbox for ${name} could not be started.`, 'Check the connection and try again; a recent browser with WebAssembly is needed.', { cause });
}
