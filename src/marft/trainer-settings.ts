/** What a trainer is told of an experiment. */
import type { Task } from '../tasks/types.ts';
import type { AlgorithmSettings, TeamSettings } from './settings.ts';

export interface ScheduleSettings {
  iterations: number;
  /** Problems played per iteration. */
  episodes: number;
  /** Evaluate before the first iteration, after every so many and after the last; 0: never. */
  evalEvery: number;
  /** Held-out problems per evaluation. */
  evalProblems: number;
}

export interface TrainerSettings {
  name: string;
  seed: number;
  task: Task;
  team: TeamSettings;
  algorithm: AlgorithmSettings;
  schedule: ScheduleSettings;
}
