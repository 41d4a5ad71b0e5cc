/** Slow motion: holds a trainer after every stage until it is let through. */
import type { StageDone } from '../../marft/progress.ts';
import type { Trainer } from '../../marft/trainer.ts';

export class StageGate {
  #trainer: Trainer | null = null;
  #release: () => void = () => undefined;

  /** From now on the trainer waits after every stage; `tell` hears of it. */
  hold(trainer: Trainer, tell: (done: StageDone) => void): void {
    this.open();
    this.#trainer = trainer;
    trainer.watchStages((done) => {
      const released = new Promise<void>((resolve) => (this.#release = resolve));
      tell(done);
      return released;
    });
  }

  /** Lets the next stage happen. */
  next(): void {
    this.#release();
  }

  /** Nothing waits any more. */
  open(): void {
    this.#trainer?.watchStages(null);
    this.#trainer = null;
    this.#release();
  }
}
