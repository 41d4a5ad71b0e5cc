/**
 * MARFT's training loop (arXiv 2504.16129, algorithm 1, at the level of tokens): the team plays, the critic assigns
 * credit along the chain of all its tokens, and the agents are updated one by one. Everything it computes is a function
 * of settings and seed, except what is logged under `time/` and `…/tok_per_s`.
 */
import type { LanguageModel, Policy, TensorMap } from '../engine/types.ts';
import { hashKey } from '../random/random.ts';
import type { ChatTokenizer } from '../tokenizer/types.ts';
import { at } from './arrays.ts';
import { createCritic, type Critic } from './critics.ts';
import { evaluateTeam } from './evaluate.ts';
import { faultOf, unjudgedOf } from './faults.ts';
import { createGame, type Game } from './game.ts';
import { playAndLearn, type Iteration, type RunStage } from './iteration.ts';
import { iterationMetrics } from './iteration-metrics.ts';
import { evaluationMetrics } from './metrics.ts';
import { methodOf, refuseBrokenGroups, type Method } from './methods.ts';
import { recordsSoFar, type Progress, type StageDone } from './progress.ts';
import type { Evaluation, MetricRow, TrainerEvent } from './records.ts';
import { Stopwatch } from './stopwatch.ts';
import { STREAM } from './streams.ts';
import type { TrainerSettings } from './trainer-settings.ts';
import { restoreTrained, trainedTensors, type TrainerState } from './trainer-state.ts';
import { episodeRecords } from './transcripts.ts';

/** Transcripts that an iteration's event carries at most: more would be slow to send and nobody reads them. */
const TRANSCRIPTS_PER_ITERATION = 32;

export class Trainer {
  readonly settings: TrainerSettings;
  readonly game: Game;
  readonly #method: Method;
  readonly #model: LanguageModel;
  readonly #tokenizer: ChatTokenizer;
  readonly #listener: (event: TrainerEvent) => void;
  #policies: Policy[] = [];
  #critics: Critic[] = [];
  #iteration = 0;
  #droppedInARow = 0;
  /** Why the latest iteration is not to be built upon. */
  #fault: string | null = null;
  #pauseRequested = false;
  #running = false;
  #onStageDone: ((done: StageDone) => Promise<void>) | null = null;

  /** Throws a PlaygroundError for a team that cannot be played. */
  constructor(
    settings: TrainerSettings,
    { model, tokenizer }: { model: LanguageModel; tokenizer: ChatTokenizer },
    listener: (event: TrainerEvent) => void,
  ) {
    this.settings = settings;
    this.#method = methodOf(settings.algorithm);
    refuseBrokenGroups(settings.algorithm, settings.schedule.episodes);
    this.game = createGame(this.#method.team(settings.team));
    this.#model = model;
    this.#tokenizer = tokenizer;
    this.#listener = listener;
  }

  /** Iterations completed. */
  get iteration(): number {
    return this.#iteration;
  }

  /** Agent i's policy; none before `init`. */
  get policies(): readonly Policy[] {
    return this.#policies;
  }

  /** The team's critic, or one per agent for independent PPO; none before `init`. */
  get critics(): readonly Critic[] {
    return this.#critics;
  }

  /** Makes fresh adapters and critics and starts from iteration 0. */
  async init(): Promise<void> {
    const { seed, algorithm } = this.settings;
    this.dispose();
    this.#iteration = 0;
    this.#droppedInARow = 0;
    for (const [agent, { adapter }] of this.game.agents.entries()) {
      this.#policies.push(await this.#model.createPolicy(adapter, hashKey(seed, STREAM.adapter, agent)));
    }
    const critics = { 'per-agent': this.game.agents.length, team: 1, none: 0 }[this.#method.critics];
    for (let k = 0; k < critics; k++) {
      this.#critics.push(await createCritic(this.#model, algorithm, hashKey(seed, STREAM.critic, k)));
    }
  }

  /**
   * Runs until the schedule ends, a pause is asked for or an iteration has gone wrong. Calling it again goes on from there. `afterIteration`
   * is waited for after every iteration that has not: a good time to save.
   */
  async run(afterIteration: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    if (this.#running) throw new Error('this trainer is running already');
    const { iterations, evalEvery } = this.settings.schedule;
    this.#running = true;
    this.#pauseRequested = false;
    try {
      if (this.#iteration === 0 && evalEvery > 0) await this.#evaluation(new Stopwatch());
      while (this.#iteration < iterations) {
        if (this.#pauseRequested) return this.#paused(null);
        await this.step();
        if (this.#fault !== null) {
          // Whoever goes on all the same gets as many tries again.
          this.#droppedInARow = 0;
          return this.#paused(this.#fault);
        }
        await afterIteration();
      }
      this.#listener({ type: 'finished', iteration: this.#iteration });
    } finally {
      this.#running = false;
    }
  }

  /** From now on every stage of an iteration is followed by `onDone`, and the next one waits for it; null: no more. Changes no number but times. */
  watchStages(onDone: ((done: StageDone) => Promise<void>) | null): void {
    this.#onStageDone = onDone;
  }

  /** Makes `run` return at the end of the iteration it is in. */
  pause(): void {
    this.#pauseRequested = true;
  }

  /** One iteration, numbered from 1. */
  async step(): Promise<MetricRow> {
    const { game, settings } = this;
    const tokenizer = this.#tokenizer;
    const iteration = this.#iteration + 1;
    const watch = new Stopwatch();
    const team = { settings, game, method: this.#method, tokenizer, policies: this.#policies, base: this.#model.base, critics: this.#critics };
    const progress: Progress = { updates: new Map() };
    const done = await playAndLearn(team, iteration, this.#stages(watch, iteration, progress), progress);
    this.#countDropped(done);
    const unjudged = unjudgedOf(done.verdicts);
    if (unjudged && !unjudged.all) this.#listener({ type: 'notice', message: unjudged.message });
    this.#fault = unjudged?.all ? unjudged.message : faultOf(game, done, this.#droppedInARow, settings.algorithm.klLimit);
    this.#iteration = iteration;
    const evaluated = this.#evaluationIsDue() ? evaluationMetrics(await this.#evaluation(watch)) : {};
    const rest = { ...evaluated, 'mem/gpu_mb': this.#model.deviceBytes() / 1e6 };
    const metrics = await iterationMetrics(team, iteration, done, watch, rest);
    const { episodes, verdicts, findings } = done;
    this.#listener({
      type: 'iteration',
      metrics,
      episodes: episodeRecords(game, tokenizer, iteration, episodes, verdicts, findings, TRANSCRIPTS_PER_ITERATION),
    });
    return metrics;
  }

  /** Mean reward of the present policies on `count` held-out problems, the same ones every time. */
  async evaluate(count: number, { greedy }: { greedy: boolean }): Promise<number> {
    const { task, seed, schedule } = this.settings;
    const problems = task.heldOut(count, seed);
    const options = { greedy, seed, batch: schedule.episodes };
    const { reward, verdicts } = await evaluateTeam(this.game, this.#policies, this.#tokenizer, task, problems, options);
    const unjudged = unjudgedOf(verdicts);
    if (unjudged) this.#listener({ type: 'notice', message: `While evaluating: ${unjudged.message}` });
    return reward;
  }

  /** Every agent's adapter by the agent's name. */
  async parameters(): Promise<Map<string, TensorMap>> {
    const adapters = new Map<string, TensorMap>();
    for (const [agent, { name }] of this.game.agents.entries()) {
      adapters.set(name, await at(this.#policies, agent).parameters());
    }
    return adapters;
  }

  /** Where the run stands between two iterations, to be gone on from by a trainer of the same settings and model. */
  async state(): Promise<TrainerState> {
    return { iteration: this.#iteration, droppedInARow: this.#droppedInARow, tensors: await trainedTensors(this.#trained()) };
  }

  /**
   * Goes back, or forward, to where a run stood: what follows is what followed there, to the last bit on the same backend. Comes after
   * `init`. Throws a PlaygroundError (`state-mismatch`) for a state of another team or model, and the trainer then has to be initialised again.
   */
  async restore({ iteration, droppedInARow, tensors }: TrainerState): Promise<void> {
    await restoreTrained(this.#trained(), tensors);
    this.#iteration = iteration;
    this.#droppedInARow = droppedInARow;
  }

  /** Frees adapters and critics; the model is the caller's. */
  dispose(): void {
    for (const trained of [...this.#policies, ...this.#critics]) trained.dispose();
    this.#policies = [];
    this.#critics = [];
  }

  #trained(): { game: Game; policies: Policy[]; critics: Critic[] } {
    return { game: this.game, policies: this.#policies, critics: this.#critics };
  }

  /** Counts the steps in a row that were not finite, the critics' first, as they were taken. */
  #countDropped({ critiques, updates }: Iteration): void {
    const count = (applied: number, dropped: number): void => {
      if (applied > 0) this.#droppedInARow = 0;
      this.#droppedInARow += dropped;
    };
    for (const { losses, dropped } of critiques) count(losses.length, dropped);
    for (const { gradNorms, dropped } of updates.values()) count(gradNorms.length, dropped);
  }

  #evaluationIsDue(): boolean {
    const { evalEvery, iterations } = this.settings.schedule;
    return evalEvery > 0 && (this.#iteration % evalEvery === 0 || this.#iteration === iterations);
  }

  async #evaluation(watch: Stopwatch): Promise<Evaluation> {
    const problems = this.settings.schedule.evalProblems;
    const evaluation = await this.#stages(watch, this.#iteration)('evaluate', async () => ({
      problems,
      sampled: await this.evaluate(problems, { greedy: false }),
      greedy: await this.evaluate(problems, { greedy: true }),
    }));
    this.#listener({ type: 'evaluation', iteration: this.#iteration, evaluation });
    return evaluation;
  }

  /** Announces each stage of an iteration, lets waiting messages in, then times it; whoever watches stages is shown `progress` after it. */
  #stages(watch: Stopwatch, iteration: number, progress: Progress | null = null): RunStage {
    return async (stage, work, agent) => {
      const what = { iteration, stage, ...(agent === undefined ? {} : { agent }) };
      this.#listener({ type: 'stage', ...what });
      await yieldControl();
      const result = await watch.time(stage, work);
      if (this.#onStageDone !== null && progress !== null) {
        await this.#onStageDone({ ...what, episodes: recordsSoFar(this.game, this.#tokenizer, iteration, progress, TRANSCRIPTS_PER_ITERATION) });
      }
      return result;
    };
  }

  #paused(reason: string | null): void {
    this.#listener({ type: 'paused', iteration: this.#iteration, reason });
  }
}

/** Lets a worker take in messages that have arrived, which waits for a macrotask. */
function yieldControl(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
