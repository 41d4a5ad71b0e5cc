/** A run as the page shows it, whether it is being trained here or was recorded. */
import type { Experiment } from '../../experiment/schema.ts';
import type { StageDone } from '../../marft/progress.ts';
import type { EpisodeRecord, MetricRow, Stage, TrainerEvent } from '../../marft/records.ts';
import { taskByName } from '../../tasks/registry.ts';
import { groupByIteration, keepIteration, type KeptIteration } from '../logic/kept-iterations.ts';
import type { RecordedRun } from '../logic/recorded-run.ts';

export interface RunningStage {
  iteration: number;
  stage: Stage;
  agent?: string;
}

export class RunStore {
  /** `none`: nothing to show yet. */
  source = $state<'none' | 'recorded' | 'live'>('none');
  experiment = $state.raw<Experiment | null>(null);
  /** One per iteration; number 0, when there is one, holds the evaluation before training. */
  rows = $state.raw<readonly MetricRow[]>([]);
  kept = $state.raw<readonly KeptIteration[]>([]);
  chance = $state<number | null>(null);
  stage = $state.raw<RunningStage | null>(null);
  /** The stage after which an iteration waits, with what is known by then; null when none waits. */
  held = $state.raw<StageDone | null>(null);

  /** Iterations completed. */
  readonly iteration = $derived(this.rows.at(-1)?.iteration ?? 0);
  /** The latest row of an iteration, not of the evaluation before training. */
  readonly latest = $derived(this.iteration > 0 ? this.rows.at(-1) : undefined);
  readonly base = $derived(this.rows.find(({ iteration }) => iteration === 0));
  readonly agents = $derived(this.experiment?.team.agents.map(({ name }) => name) ?? []);

  /** Forgets everything and waits for the events of a new run. */
  start(experiment: Experiment): void {
    this.source = 'live';
    this.experiment = experiment;
    this.rows = [];
    this.kept = [];
    this.chance = taskByName(experiment.task.name, experiment.task.options, experiment.task.weights, experiment.task.reward).chance;
    this.stage = null;
    this.held = null;
  }

  /** There is nothing to show any more. */
  forget(): void {
    this.source = 'none';
    this.experiment = null;
    this.rows = [];
    this.kept = [];
    this.chance = null;
  }

  /** Shows a run that was trained elsewhere. */
  showRecorded({ experiment, metrics, episodes, chance }: RecordedRun): void {
    this.source = 'recorded';
    this.experiment = experiment;
    this.rows = metrics;
    this.chance = chance;
    this.stage = null;
    this.kept = groupByIteration(episodes);
  }

  /** Shows how far a saved run had come, and waits for what follows. */
  goOn(experiment: Experiment, metrics: readonly MetricRow[], episodes: readonly EpisodeRecord[]): void {
    this.start(experiment);
    this.rows = metrics;
    this.kept = groupByIteration(episodes);
  }

  /** Takes in what the trainer tells. */
  apply(event: TrainerEvent | ({ type: 'held' } & StageDone)): void {
    switch (event.type) {
      case 'held':
        this.held = event;
        break;
      case 'stage':
        this.stage = event;
        break;
      case 'evaluation':
        // Later evaluations come again in their iteration's row.
        if (event.iteration === 0) this.rows = [baseRow(event.evaluation.sampled, event.evaluation.greedy)];
        break;
      case 'iteration':
        this.rows = [...this.rows, event.metrics];
        if (event.episodes.length > 0) {
          this.kept = keepIteration(this.kept, { iteration: event.metrics.iteration, episodes: event.episodes });
        }
        break;
      case 'paused':
      case 'finished':
        this.stage = null;
        this.held = null;
        break;
      case 'loading':
      case 'ready':
      case 'notice':
        break;
    }
  }
}

function baseRow(sampled: number, greedy: number): MetricRow {
  return { iteration: 0, 'eval/reward': sampled, 'eval/reward_greedy': greedy };
}
