/**
 * MARFT's training loop (arXiv 2504.16129, algorithm 1, at the level of tokens): the team plays, the critic assigns
 * credit along the chain of all its tokens, and the agents are updated one by one. Everything it computes is a function
 * of settings and seed, except what is logged under `time/` and `…/tok_per_s`.
 */
import type { LanguageModel, Policy, StepOptions, TensorMap } from '../engine/types.ts';
import type { Problem, Task } from '../tasks/types.ts';
import type { ChatTokenizer } from '../tokenizer/types.ts';
import { at } from './arrays.ts';
import { actionSizesOf } from './decisions.ts';
import { evaluateTeam } from './evaluate.ts';
import { createCritic, type Critic } from './critics.ts';
import { createGame, type Game } from './game.ts';
import {
  agentMetrics,
  criticMetrics,
  evaluationMetrics,
  metricRow,
  ownRewardMetrics,
  rewardMetrics,
  samplingMetrics,
  throughput,
  updateMetrics,
} from './metrics.ts';
import { klPenalties } from './kl-reward.ts';
import { methodOf, refuseBrokenGroups, type Method } from './methods.ts';
import { hashKey, Random } from '../random/random.ts';
import type { Evaluation, MetricRow, Stage, TrainerEvent } from './records.ts';
import { areIndifferent, judge, shareRewards, type Rewards } from './reward.ts';
import { rollout, type Episode } from './rollout.ts';
import { learningRateAt, updateGroups } from './schedule.ts';
import { scoreTeam, valueTokens } from './score.ts';
import type { AlgorithmSettings, TeamSettings } from './settings.ts';
import { Stopwatch } from './stopwatch.ts';
import { STREAM } from './streams.ts';
import { episodeRecords, type TokenFindings } from './transcripts.ts';
import type { CriticUpdate } from './update-critic.ts';
import { skippedUpdate, type PolicyUpdate } from './update-policy.ts';
import { updateTeam } from './update-team.ts';
import { criticViews, gather, type CriticView } from './views.ts';

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

/** Transcripts that an iteration's event carries at most: more would be slow to send and nobody reads them. */
const TRANSCRIPTS_PER_ITERATION = 32;

/** Steps in a row that may be dropped before the run pauses: one can be a bad batch, three are a diverged network. */
const DROPPED_STEPS_BEFORE_PAUSE = 3;

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
  #pauseRequested = false;
  #running = false;

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
    for (const [agent, { adapter }] of this.game.agents.entries()) {
      this.#policies.push(await this.#model.createPolicy(adapter, hashKey(seed, STREAM.adapter, agent)));
    }
    const critics = { 'per-agent': this.game.agents.length, team: 1, none: 0 }[this.#method.critics];
    for (let k = 0; k < critics; k++) {
      this.#critics.push(await createCritic(this.#model, algorithm, hashKey(seed, STREAM.critic, k)));
    }
  }

  /** Runs until the schedule ends, a pause is asked for or the training diverges. Calling it again goes on from there. */
  async run(): Promise<void> {
    if (this.#running) throw new Error('this trainer is running already');
    const { iterations, evalEvery } = this.settings.schedule;
    this.#running = true;
    this.#pauseRequested = false;
    this.#droppedInARow = 0;
    try {
      if (this.#iteration === 0 && evalEvery > 0) await this.#evaluation(new Stopwatch());
      while (this.#iteration < iterations) {
        if (this.#pauseRequested) return this.#paused(null);
        await this.step();
        if (this.#droppedInARow >= DROPPED_STEPS_BEFORE_PAUSE) return this.#paused(divergence(this.#droppedInARow));
      }
      this.#listener({ type: 'finished', iteration: this.#iteration });
    } finally {
      this.#running = false;
    }
  }

  /** Makes `run` return at the end of the iteration it is in. */
  pause(): void {
    this.#pauseRequested = true;
  }

  /** One iteration, numbered from 1: play, judge, score, value, assign credit, fit the critic, update the agents in turn. */
  async step(): Promise<MetricRow> {
    const { game, settings } = this;
    const { algorithm, schedule, task } = settings;
    const tokenizer = this.#tokenizer;
    const iteration = this.#iteration + 1;
    const watch = new Stopwatch();

    const episodes = await this.#stage(watch, iteration, 'rollout', () =>
      rollout(game, this.#policies, tokenizer, this.#problems(iteration), {
        key: [settings.seed, STREAM.sampling, iteration],
        greedy: false,
        isOver: task.isOver?.bind(task),
      }),
    );
    const { verdicts, rewards } = await this.#stage(watch, iteration, 'reward', () => {
      const judged = judge(game, task, tokenizer, episodes);
      return { verdicts: judged, rewards: shareRewards(this.#method.rewards, game, task, tokenizer, episodes, judged) };
    });
    const scores = await this.#stage(watch, iteration, 'score', () =>
      scoreTeam(game, this.#policies, this.#model.base, episodes),
    );
    const views = criticViews(game, tokenizer, episodes, algorithm);
    const values = await this.#stage(watch, iteration, 'values', () => valueTokens(game, this.#critics, views, episodes, algorithm.level));
    const credit = await this.#stage(watch, iteration, 'credit', () =>
      this.#method.credit(game, { episodes, rewards: rewards.ofAgents, values, penalties: klPenalties(scores, algorithm) }, algorithm),
    );
    const actionSizes = actionSizesOf(game, tokenizer, episodes, algorithm);
    const findings: TokenFindings = { scores, actionSizes, values, credit, newLogprobs: [] };
    const critiques = await this.#stage(watch, iteration, 'critic', () => this.#updateCritics(iteration, views, findings));
    const updates = await this.#updatePolicies(watch, iteration, episodes, rewards, findings);

    findings.newLogprobs = game.agents.map((_, agent) => updates.get(agent)?.newLogprobs ?? null);
    this.#iteration = iteration;
    const evaluated = this.#evaluationIsDue() ? evaluationMetrics(await this.#evaluation(watch)) : {};
    const learningRate = learningRateAt(iteration, schedule.iterations, algorithm);
    const ofUpdates: Record<string, number>[] = [];
    for (const [agent, update] of updates) {
      const norm = await at(this.#policies, agent).norm();
      ofUpdates.push(updateMetrics(game, agent, update, findings, algorithm, learningRate, norm));
    }
    const metrics = metricRow(
      iteration,
      rewardMetrics(verdicts),
      evaluated,
      ...game.agents.map((_, agent) => agentMetrics(game, agent, episodes, findings, views.length > 0)),
      ownRewardMetrics(game, rewards),
      ...ofUpdates,
      criticMetrics(critiques, findings),
      samplingMetrics(game, episodes, findings),
      throughput(watch, episodes, updates),
      { 'mem/gpu_mb': this.#model.deviceBytes() / 1e6 },
      watch.metrics(),
    );
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
    return (await evaluateTeam(this.game, this.#policies, this.#tokenizer, task, problems, options)).reward;
  }

  /** Every agent's adapter by the agent's name. */
  async parameters(): Promise<Map<string, TensorMap>> {
    const adapters = new Map<string, TensorMap>();
    for (const [agent, { name }] of this.game.agents.entries()) {
      adapters.set(name, await at(this.#policies, agent).parameters());
    }
    return adapters;
  }

  /** Frees adapters and critics; the model is the caller's. */
  dispose(): void {
    for (const trained of [...this.#policies, ...this.#critics]) trained.dispose();
    this.#policies = [];
    this.#critics = [];
  }

  #problems(iteration: number): Problem[] {
    const { task, seed, schedule, algorithm } = this.settings;
    const random = new Random(seed, STREAM.problems, iteration);
    const size = this.#method.groupSize(algorithm);
    const problems = Array.from({ length: schedule.episodes / size }, () => task.train(random));
    return problems.flatMap((problem) => new Array<Problem>(size).fill(problem));
  }

  /** Each critic learns what followed. The advantages were taken from the values before this. */
  async #updateCritics(iteration: number, views: readonly CriticView[], { credit }: TokenFindings): Promise<CriticUpdate[]> {
    const updates: CriticUpdate[] = [];
    for (const [k, view] of views.entries()) {
      const lesson = { sequences: view.sequences, returns: gather(view, credit.returns) };
      const update = await at(this.#critics, k).learn(lesson, new Random(this.settings.seed, STREAM.criticOrder, iteration, k));
      this.#countDropped(update.losses.length, update.dropped);
      updates.push(update);
    }
    return updates;
  }

  /** Nobody learns while the critic warms up, nor where no episode did better than another. */
  async #updatePolicies(
    watch: Stopwatch,
    iteration: number,
    episodes: readonly Episode[],
    rewards: Rewards,
    findings: TokenFindings,
  ): Promise<Map<number, PolicyUpdate>> {
    const { game } = this;
    const { algorithm, schedule, seed } = this.settings;
    const groups = this.#method.trains ? updateGroups(game, algorithm, seed, iteration) : [];
    const idle = iteration <= algorithm.critic.warmupIterations || (areIndifferent(rewards) && algorithm.klRewardCoef === 0);
    if (idle) {
      const skip = (): Map<number, PolicyUpdate> => new Map(groups.flat().map((agent) => [agent, skippedUpdate(algorithm.epochs)]));
      return this.#stage(watch, iteration, 'update', skip);
    }
    const updates = await updateTeam({
      game,
      policies: this.#policies,
      episodes,
      findings,
      algorithm,
      stepOptions: this.#stepOptions(learningRateAt(iteration, schedule.iterations, algorithm)),
      groups,
      stage: (group, work) => {
        const [agent] = group;
        const name = agent === undefined || group.length > 1 ? undefined : at(game.agents, agent).name;
        return this.#stage(watch, iteration, 'update', work, name);
      },
    });
    for (const { gradNorms, dropped } of updates.values()) this.#countDropped(gradNorms.length, dropped);
    return updates;
  }

  #stepOptions(learningRate: number): StepOptions {
    const { weightDecay, maxGradNorm } = this.settings.algorithm;
    return { learningRate, weightDecay, maxGradNorm };
  }

  #countDropped(applied: number, dropped: number): void {
    if (applied > 0) this.#droppedInARow = 0;
    this.#droppedInARow += dropped;
  }

  #evaluationIsDue(): boolean {
    const { evalEvery, iterations } = this.settings.schedule;
    return evalEvery > 0 && (this.#iteration % evalEvery === 0 || this.#iteration === iterations);
  }

  async #evaluation(watch: Stopwatch): Promise<Evaluation> {
    const problems = this.settings.schedule.evalProblems;
    const evaluation = await this.#stage(watch, this.#iteration, 'evaluate', async () => ({
      problems,
      sampled: await this.evaluate(problems, { greedy: false }),
      greedy: await this.evaluate(problems, { greedy: true }),
    }));
    this.#listener({ type: 'evaluation', iteration: this.#iteration, evaluation });
    return evaluation;
  }

  /** Announces a stage, lets waiting messages in, then times it. */
  async #stage<T>(
    watch: Stopwatch,
    iteration: number,
    stage: Stage,
    work: () => T | Promise<T>,
    agent?: string,
  ): Promise<T> {
    this.#listener({ type: 'stage', iteration, stage, ...(agent === undefined ? {} : { agent }) });
    await yieldControl();
    return watch.time(stage, work);
  }

  #paused(reason: string | null): void {
    this.#listener({ type: 'paused', iteration: this.#iteration, reason });
  }
}

/** Lets a worker take in messages that have arrived, which waits for a macrotask. */
function yieldControl(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

function divergence(steps: number): string {
  return (
    `${steps} updates in a row were not finite numbers and were dropped; the weights are those from before. ` +
    'Lower the learning rate or the gradient-norm limit, or raise the temperature, and start again.'
  );
}
