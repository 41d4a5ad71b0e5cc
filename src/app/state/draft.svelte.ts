/** The experiment that the next run will use, as it stands in the page's controls. */
import { presetByName, PRESETS } from '../../experiment/presets.ts';
import type { Experiment } from '../../experiment/schema.ts';
import type { TeamSettings } from '../../marft/settings.ts';
import { PlaygroundError } from '../../runtime/errors.ts';
import { toggleArrow } from '../logic/dependency.ts';

/** The largest seed that the experiment's schema takes. */
export const MAX_SEED = 2 ** 31 - 1;
const MAX_ITERATIONS = 100_000;

export const DEFAULT_PRESET = 'duo-addition';

export class DraftStore {
  experiment = $state.raw<Experiment>(presetByName(DEFAULT_PRESET));
  /** Why the last change was refused; null when it was not. */
  refusal = $state.raw<{ message: string; hint: string } | null>(null);

  readonly preset = $derived(PRESETS.find(({ name }) => name === this.experiment.name));

  choosePreset(name: string): void {
    this.#set({ ...presetByName(name), seed: this.experiment.seed });
  }

  /** Out of bounds or not a whole number: false, and nothing changes. */
  setSeed(seed: number): boolean {
    if (!Number.isInteger(seed) || seed < 0 || seed > MAX_SEED) return false;
    this.#set({ ...this.experiment, seed });
    return true;
  }

  /** Out of bounds or not a whole number: false, and nothing changes. */
  setIterations(iterations: number): boolean {
    if (!Number.isInteger(iterations) || iterations < 1 || iterations > MAX_ITERATIONS) return false;
    this.#set({ ...this.experiment, schedule: { ...this.experiment.schedule, iterations } });
    return true;
  }

  setDependency(dependency: TeamSettings['dependency']): void {
    this.#set({ ...this.experiment, team: { ...this.experiment.team, dependency } });
  }

  /** Draws or cuts the arrow from agent i to agent j; a change that could not be played is refused, with the reason. */
  toggleArrow(from: number, to: number): void {
    try {
      this.#set({ ...this.experiment, team: toggleArrow(this.experiment.team, from, to) });
    } catch (cause) {
      if (!(cause instanceof PlaygroundError)) throw cause;
      this.refusal = { message: cause.message, hint: cause.hint };
    }
  }

  /** Goes back to what a run was started with. */
  revertTo(experiment: Experiment): void {
    this.#set(experiment);
  }

  #set(experiment: Experiment): void {
    this.experiment = experiment;
    this.refusal = null;
  }
}
