/** One iteration of MARFT: play, judge, score, value, assign credit, fit the critic, update the agents in turn. */
import type { Policy, StepOptions } from '../engine/types.ts';
import { Random } from '../random/random.ts';
import type { Problem, Verdict } from '../tasks/types.ts';
import type { ChatTokenizer } from '../tokenizer/types.ts';
import { at } from './arrays.ts';
import type { Critic } from './critics.ts';
import { actionSizesOf } from './decisions.ts';
import type { Game } from './game.ts';
import { klPenalties } from './kl-reward.ts';
import type { Method } from './methods.ts';
import type { Progress } from './progress.ts';
import type { Stage } from './records.ts';
import { areIndifferent, judge, shareRewards, type Bench, type Rewards } from './reward.ts';
import { rollout, type Episode, type RolloutOptions } from './rollout.ts';
import { learningRateAt, updateGroups } from './schedule.ts';
import { scoreTeam, valueTokens } from './score.ts';
import { STREAM } from './streams.ts';
import type { TrainerSettings } from './trainer-settings.ts';
import type { TokenFindings } from './transcripts.ts';
import type { CriticUpdate } from './update-critic.ts';
import { skippedUpdate, type PolicyUpdate } from './update-policy.ts';
import { updateTeam } from './update-team.ts';
import { criticViews, gather, type CriticView } from './views.ts';

/** Who plays and learns, at what, and by which method. */
export interface Team {
  settings: TrainerSettings;
  game: Game;
  method: Method;
  tokenizer: ChatTokenizer;
  policies: readonly Policy[];
  /** The frozen base without any adapter. */
  base: Pick<Policy, 'generate' | 'score'>;
  critics: readonly Critic[];
}

/** Announces a stage, and whose it is, before its work is done. */
export type RunStage = <T>(stage: Stage, work: () => T | Promise<T>, agent?: string) => Promise<T>;

/** What an iteration brought about. */
export interface Iteration {
  episodes: Episode[];
  verdicts: Verdict[];
  rewards: Rewards;
  findings: TokenFindings;
  /** One per critic. */
  critiques: CriticUpdate[];
  /** By agent, in the order of the updates. */
  updates: Map<number, PolicyUpdate>;
}

/** The iteration of that number, counted from 1; it changes policies and critics. `progress` takes each part as soon as it is there. */
export async function playAndLearn(team: Team, iteration: number, stage: RunStage, progress: Progress): Promise<Iteration> {
  const { game, method, tokenizer, policies, critics, base, settings } = team;
  const { algorithm, task, seed } = settings;

  const options: RolloutOptions = { key: [seed, STREAM.sampling, iteration], greedy: false, isOver: task.isOver?.bind(task), respond: task.respond?.bind(task) };
  const episodes = await stage(
    'rollout',
    async () => (progress.episodes = await rollout(game, policies, tokenizer, problemsOf(team, iteration), options)),
  );
  const bench: Bench = { game, task, tokenizer, key: [seed, STREAM.verdict, iteration] };
  const { verdicts, rewards } = await stage('reward', async () => {
    const judged = (progress.verdicts = await judge(bench, episodes));
    return { verdicts: judged, rewards: await shareRewards(method.rewards, bench, episodes, judged) };
  });
  const scores = await stage('score', async () => (progress.scores = await scoreTeam(game, policies, base, episodes)));
  const views = criticViews(game, tokenizer, episodes, algorithm);
  const actionSizes = (progress.actionSizes = actionSizesOf(game, tokenizer, episodes, algorithm));
  const values = await stage('values', async () => (progress.values = await valueTokens(game, critics, views, episodes, algorithm.level)));
  const credit = await stage(
    'credit',
    () => (progress.credit = method.credit(game, { episodes, rewards: rewards.ofAgents, values, penalties: klPenalties(scores, algorithm) }, algorithm)),
  );
  const findings: TokenFindings = { scores, actionSizes, values, credit, newLogprobs: [] };
  const critiques = await stage('critic', () => updateCritics(team, iteration, views, findings));
  const { updates } = progress;
  await updatePolicies(team, iteration, stage, episodes, rewards, findings, updates);
  findings.newLogprobs = game.agents.map((_, agent) => updates.get(agent)?.newLogprobs ?? null);
  return { episodes, verdicts, rewards, findings, critiques, updates };
}

function problemsOf({ settings, method }: Team, iteration: number): Problem[] {
  const { task, seed, schedule, algorithm } = settings;
  const random = new Random(seed, STREAM.problems, iteration);
  const size = method.groupSize(algorithm);
  const problems = Array.from({ length: schedule.episodes / size }, () => task.train(random));
  return problems.flatMap((problem) => new Array<Problem>(size).fill(problem));
}

/** Each critic learns what followed. The advantages were taken from the values before this. */
async function updateCritics(
  { critics, settings }: Team,
  iteration: number,
  views: readonly CriticView[],
  { credit }: TokenFindings,
): Promise<CriticUpdate[]> {
  const updates: CriticUpdate[] = [];
  for (const [k, view] of views.entries()) {
    const lesson = { sequences: view.sequences, returns: gather(view, credit.returns) };
    updates.push(await at(critics, k).learn(lesson, new Random(settings.seed, STREAM.criticOrder, iteration, k)));
  }
  return updates;
}

/** Nobody learns while the critic warms up, nor where no episode did better than another. */
async function updatePolicies(
  { game, policies, method, settings }: Team,
  iteration: number,
  stage: RunStage,
  episodes: readonly Episode[],
  rewards: Rewards,
  findings: TokenFindings,
  updates: Map<number, PolicyUpdate>,
): Promise<void> {
  const { algorithm, schedule, seed } = settings;
  const groups = method.trains ? updateGroups(game, algorithm, seed, iteration) : [];
  const idle = iteration <= algorithm.critic.warmupIterations || (areIndifferent(rewards) && algorithm.klRewardCoef === 0);
  if (idle) {
    return stage('update', () => {
      for (const agent of groups.flat()) updates.set(agent, skippedUpdate(algorithm.epochs));
    });
  }
  const { weightDecay, maxGradNorm } = algorithm;
  const stepOptions: StepOptions = { learningRate: learningRateAt(iteration, schedule.iterations, algorithm), weightDecay, maxGradNorm };
  return updateTeam({
    game,
    policies,
    episodes,
    findings,
    algorithm,
    stepOptions,
    groups,
    updates,
    stage: (group, work) => {
      const [agent] = group;
      return stage('update', work, agent === undefined || group.length > 1 ? undefined : at(game.agents, agent).name);
    },
  });
}
