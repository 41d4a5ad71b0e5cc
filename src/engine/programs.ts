/** Compiled graphs of one backend by key, each compiled at its first use. Of more than `MOST` the one that was not asked for longest goes. */
import type { Graph } from '../onnx/graph.ts';
import { serialize } from '../onnx/serialize.ts';
import type { Backend, Program } from '../runtime/backend.ts';

/**
 * Each compiled graph holds memory of its own. An iteration of one length of episodes uses some twenty; where lengths and numbers of rows
 * differ from iteration to iteration, as in games of several turns, there would be ever more of them.
 */
const MOST = 128;

export class Programs {
  readonly #programs = new Map<string, Promise<Program>>();

  constructor(readonly backend: Backend) {}

  program(key: string, build: () => Graph): Promise<Program> {
    let program = this.#programs.get(key);
    if (program) {
      this.#programs.delete(key);
    } else {
      const graph = build();
      program = this.backend.compile(serialize(graph), graph.name);
    }
    // The map's order is that of the last use.
    this.#programs.set(key, program);
    this.#leaveBehind();
    return program;
  }

  dispose(): void {
    for (const program of this.#programs.values()) release(program);
    this.#programs.clear();
  }

  #leaveBehind(): void {
    for (const [key, program] of this.#programs) {
      if (this.#programs.size <= MOST) return;
      this.#programs.delete(key);
      release(program);
    }
  }
}

/** A program that never compiled has nothing to release; its failure was reported where it was awaited. */
function release(program: Promise<Program>): void {
  program.then((compiled) => compiled.dispose()).catch(() => undefined);
}
