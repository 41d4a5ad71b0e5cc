/** The experiment that the next run will use, as it stands in the page's controls. */
import { applyOverrides } from '../../experiment/overrides.ts';
import { presetByName, PRESETS } from '../../experiment/presets.ts';
import { parseExperiment, type Experiment } from '../../experiment/schema.ts';
import type { TeamSettings } from '../../marft/settings.ts';
import { PlaygroundError } from '../../runtime/errors.ts';
import { suggestedTeam } from '../../tasks/teams.ts';
import type { ModelAccess } from '../trainer/protocol.ts';
import { toggleArrow } from '../logic/dependency.ts';

/** The largest seed that the experiment's schema takes. */
export const MAX_SEED = 2 ** 31 - 1;
const MAX_ITERATIONS = 100_000;

export const DEFAULT_PRESET = 'duo-addition';

/** From where the experiment says. */
export const NAMED: ModelAccess = { kind: 'named' };

export class DraftStore {
  experiment = $state.raw<Experiment>(presetByName(DEFAULT_PRESET));
  /** Where the model's files come from. */
  access = $state.raw<ModelAccess>(NAMED);
  /** Why the last change was refused; null when it was not. */
  refusal = $state.raw<{ message: string; hint: string } | null>(null);

  /** Says which field of a wanted experiment may not be changed, or null; null itself: all may. */
  guard = $state.raw<((wanted: Experiment) => string | null) | null>(null);

  readonly preset = $derived(PRESETS.find(({ name }) => name === this.experiment.name));

  choosePreset(name: string): void {
    this.#set({ ...presetByName(name), seed: this.experiment.seed }, NAMED);
  }

  /** `model` as an experiment names it. */
  chooseModel(model: string, access: ModelAccess = NAMED): void {
    this.#set({ ...this.experiment, model }, access);
  }

  /** The user's own files instead of the experiment's model, which stays what it was: files have no name that it could bear. */
  chooseFiles(files: readonly File[]): void {
    this.#set(this.experiment, { kind: 'files', files });
  }

  /** Out of bounds or not a whole number: false, and nothing changes. */
  setSeed(seed: number): boolean {
    if (!Number.isInteger(seed) || seed < 0 || seed > MAX_SEED) return false;
    return this.#set({ ...this.experiment, seed });
  }

  /** Out of bounds or not a whole number: false, and nothing changes. */
  setIterations(iterations: number): boolean {
    if (!Number.isInteger(iterations) || iterations < 1 || iterations > MAX_ITERATIONS) return false;
    return this.#set({ ...this.experiment, schedule: { ...this.experiment.schedule, iterations } });
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

  /** Another team, defaults filled in where it says less. False, with the reason in `refusal`, where the schema or the game refuses it. */
  setTeam(team: object): boolean {
    try {
      return this.#set(parseExperiment({ ...this.experiment, team }));
    } catch (cause) {
      if (!(cause instanceof PlaygroundError)) throw cause;
      this.refusal = { message: cause.message, hint: cause.hint };
      return false;
    }
  }

  /** Changes fields as `--set` does: `path=value`. False, with the reason in `refusal`, where the schema or the game refuses. */
  assign(...assignments: string[]): boolean {
    try {
      return this.#set(applyOverrides(this.experiment, assignments));
    } catch (cause) {
      if (!(cause instanceof PlaygroundError)) throw cause;
      this.refusal = { message: cause.message, hint: cause.hint };
      return false;
    }
  }

  /** Other problems under another name, with the team that is suggested for them if that is wished. False, with the reason in `refusal`, where they are refused. */
  setTask(name: string, task: Experiment['task'], withTeam: boolean): boolean {
    const team = withTeam ? suggestedTeam(task.name) : undefined;
    try {
      return this.#set(parseExperiment({ ...this.experiment, name, task, ...(team ? { team } : {}) }));
    } catch (cause) {
      if (!(cause instanceof PlaygroundError)) throw cause;
      this.refusal = { message: cause.message, hint: cause.hint };
      return false;
    }
  }

  /** Code that judges in place of the task; null: the task does. False, with the reason in `refusal`, where it is refused. */
  setReward(code: string | null): boolean {
    const task = { ...this.experiment.task };
    delete task.reward;
    try {
      this.#set(parseExperiment({ ...this.experiment, task: code === null ? task : { ...task, reward: { code } } }));
      return true;
    } catch (cause) {
      if (!(cause instanceof PlaygroundError)) throw cause;
      this.refusal = { message: cause.message, hint: cause.hint };
      return false;
    }
  }

  /** Goes back to what a run was started with. */
  revertTo(experiment: Experiment, access: ModelAccess): void {
    this.#set(experiment, access);
  }

  /** False, with the reason in `refusal`, where the change is locked. */
  #set(experiment: Experiment, access: ModelAccess = this.access): boolean {
    const locked = this.guard?.(experiment) ?? null;
    if (locked !== null) {
      this.refusal = { message: `${locked} is locked in this task.`, hint: 'Change something else, or leave the task.' };
      return false;
    }
    this.experiment = experiment;
    this.access = access;
    this.refusal = null;
    return true;
  }
}
