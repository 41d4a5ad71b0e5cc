/** The checkpoints of one run: the latest two, and those that are kept to go back to. */
import type { TrainerState } from '../marft/trainer-state.ts';
import { PlaygroundError } from '../runtime/errors.ts';
import {
  decodeManifest,
  decodeState,
  encodeCheckpoint,
  iterationOf,
  manifestName,
  tensorsName,
  type Checkpoint,
  type Manifest,
  type RunIdentity,
} from './checkpoint.ts';
import type { RunFiles } from './run-files.ts';

/** The newest may turn out to be damaged. */
const GENERATIONS = 2;

/** Objects to a checkpoint that is whole in itself, in a sentence; null: it will do. */
export type Objection = (manifest: Manifest) => string | null;

export class CheckpointStore {
  constructor(private readonly files: RunFiles) {}

  /** Writes a checkpoint and only then removes what it replaces. Throws a PlaygroundError when it cannot be written; older ones stay. */
  async save(state: TrainerState, rest: RunIdentity & Pick<Manifest, 'kept' | 'record'>): Promise<void> {
    const { manifest, tensors } = await encodeCheckpoint(state, rest);
    await this.files.write(tensorsName(state.iteration), tensors);
    await this.files.write(manifestName(state.iteration), manifest);
    await this.#removeOld();
  }

  /** Iterations of all checkpoints, in ascending order. Whether they are whole shows when they are loaded. */
  async iterations(): Promise<number[]> {
    const found = (await this.files.list()).map((name) => iterationOf(name, 'manifest'));
    return found.filter((iteration) => iteration !== null).sort((a, b) => a - b);
  }

  /** Manifests that can be read, in ascending order of their iterations. */
  async manifests(): Promise<Manifest[]> {
    const manifests: Manifest[] = [];
    for (const iteration of await this.iterations()) {
      const manifest = await orRefusal(this.#manifest(iteration));
      if (!(manifest instanceof PlaygroundError)) manifests.push(manifest);
    }
    return manifests;
  }

  /**
   * The newest checkpoint that is whole and that nothing is objected to, or that of iteration `at`; null where nothing was ever saved. Each
   * one that had to be passed over is told in a sentence. Throws a PlaygroundError when there are some but none will do.
   */
  async load(at: number | null, objection: Objection, tell: (sentence: string) => void): Promise<Checkpoint | null> {
    const saved = await this.iterations();
    if (saved.length === 0) return null;
    if (at !== null && !saved.includes(at)) {
      throw new PlaygroundError('checkpoint-missing', `There is no checkpoint of iteration ${at}.`, `There are those of ${new Intl.ListFormat('en').format(saved.map(String))}.`);
    }
    for (const iteration of at === null ? saved.toReversed() : [at]) {
      const checkpoint = await orRefusal(this.#whole(iteration, objection));
      if (!(checkpoint instanceof PlaygroundError)) return checkpoint;
      tell(`The checkpoint of iteration ${iteration} is passed over. ${checkpoint.message}`);
    }
    throw new PlaygroundError('checkpoint-broken', 'No checkpoint of this run can be gone on from.', 'Start the run again.');
  }

  /** Removes all that came after an iteration: whoever goes back to it goes another way from there. */
  async discardAfter(iteration: number): Promise<void> {
    for (const later of (await this.iterations()).filter((one) => one > iteration)) await this.#remove(later);
  }

  async #whole(iteration: number, objection: Objection): Promise<Checkpoint> {
    const manifest = await this.#manifest(iteration);
    const state = await decodeState(manifest, await this.files.read(tensorsName(iteration)));
    const reason = objection(manifest);
    if (reason !== null) throw new PlaygroundError('checkpoint-broken', reason, 'Go on from an earlier one.');
    return { manifest, state };
  }

  async #manifest(iteration: number): Promise<Manifest> {
    const file = await this.files.read(manifestName(iteration));
    if (file === null) throw new PlaygroundError('checkpoint-broken', 'The checkpoint is damaged: its manifest is missing.', 'Go on from an earlier one.');
    return decodeManifest(file, iteration);
  }

  /** Tensors without a manifest are what a save left that did not come to its end. */
  async #removeOld(): Promise<void> {
    const iterations = await this.iterations();
    for (const iteration of iterations.slice(0, -GENERATIONS)) {
      const manifest = await orRefusal(this.#manifest(iteration));
      if (manifest instanceof PlaygroundError || !manifest.kept) await this.#remove(iteration);
    }
    for (const name of await this.files.list()) {
      const iteration = iterationOf(name, 'tensors');
      if (iteration !== null && !iterations.includes(iteration)) await this.files.remove(name);
    }
  }

  /** The manifest first, so that no manifest is ever without its tensors. */
  async #remove(iteration: number): Promise<void> {
    await this.files.remove(manifestName(iteration));
    await this.files.remove(tensorsName(iteration));
  }
}

/** What became of it, or the PlaygroundError that it was refused with. */
function orRefusal<T>(work: Promise<T>): Promise<T | PlaygroundError> {
  return work.catch((error: unknown) => {
    if (error instanceof PlaygroundError) return error;
    throw error;
  });
}
