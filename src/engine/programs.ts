/** Compiled graphs of one backend by key, each compiled at its first use. */
import type { Graph } from '../onnx/graph.ts';
import { serialize } from '../onnx/serialize.ts';
import type { Backend, Program } from '../runtime/backend.ts';

export class Programs {
  readonly #programs = new Map<string, Promise<Program>>();

  constructor(readonly backend: Backend) {}

  program(key: string, build: () => Graph): Promise<Program> {
    let program = this.#programs.get(key);
    if (!program) {
      const graph = build();
      program = this.backend.compile(serialize(graph), graph.name);
      this.#programs.set(key, program);
    }
    return program;
  }

  dispose(): void {
    for (const program of this.#programs.values()) {
      // A program that never compiled has nothing to release; its failure was reported where it was awaited.
      program.then((p) => p.dispose()).catch(() => undefined);
    }
    this.#programs.clear();
  }
}
