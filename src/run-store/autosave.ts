/** Saves a run as it goes. That it cannot be saved does not stop it. */
import type { TrainerState } from '../marft/trainer-state.ts';
import { PlaygroundError } from '../runtime/errors.ts';
import type { RunIdentity } from './checkpoint.ts';
import type { CheckpointStore } from './checkpoint-store.ts';

export interface AutosaveOptions {
  /** Save after every so many iterations. */
  every: number;
  /** Keep the checkpoint of every so many iterations, to go back to; 0: none. */
  keepEvery: number;
  /** What goes into a checkpoint besides, as JSON. */
  record: () => unknown;
  /** Hears whenever something has changed: saving fails, or works again. */
  tell: (news: SavingNews) => void;
}

/** `saved`: the last iteration that is safe, null when none is. `problem`: why the latest could not be saved, null when it was. */
export interface SavingNews {
  saved: number | null;
  problem: string | null;
}

/** Something of which a state can be taken, e.g. a trainer. */
interface Source {
  readonly iteration: number;
  state(): Promise<TrainerState>;
}

export class Autosave {
  #saved: number | null;
  #problem: string | null = null;

  /** `saved` is the iteration that the run goes on from, when it does. */
  constructor(
    private readonly store: Pick<CheckpointStore, 'save'>,
    private readonly identity: RunIdentity,
    private readonly options: AutosaveOptions,
    saved: number | null,
  ) {
    this.#saved = saved;
  }

  /** Saves when it is due. */
  async afterIteration(source: Source): Promise<void> {
    const { every } = this.options;
    if (source.iteration % every === 0 || this.#isKept(source.iteration)) await this.save(source);
  }

  /** Saves now, unless that has been done. */
  async save(source: Source): Promise<void> {
    if (source.iteration === this.#saved) return;
    const before = this.#problem;
    try {
      const rest = { ...this.identity, kept: this.#isKept(source.iteration), record: this.options.record() };
      await this.store.save(await source.state(), rest);
      this.#saved = source.iteration;
      this.#problem = null;
    } catch (error) {
      if (!(error instanceof PlaygroundError)) throw error;
      this.#problem = `${error.message} ${error.hint}`;
    }
    if (this.#problem !== before) this.options.tell({ saved: this.#saved, problem: this.#problem });
  }

  #isKept(iteration: number): boolean {
    const { keepEvery } = this.options;
    return keepEvery > 0 && iteration > 0 && iteration % keepEvery === 0;
  }
}
