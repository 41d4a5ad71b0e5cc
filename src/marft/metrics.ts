/** An iteration's line of metrics, by the names of CleanRL and TRL, one namespace per agent. What does not apply is left out. */
import type { Verdict } from '../tasks/types.ts';
import { at, concat, mean, variance } from './arrays.ts';
import { explainedVariance } from './critic.ts';
import type { Game } from './game.ts';
import { decisionLogprobs, k3, policyShift, type ObjectiveSettings } from './objective.ts';
import type { Evaluation, MetricRow } from './records.ts';
import { allEqual, rewardSummary, type Rewards } from './reward.ts';
import { utterancesOf, type Episode, type Utterance } from './rollout.ts';
import type { Stopwatch } from './stopwatch.ts';
import type { TokenFindings } from './transcripts.ts';
import type { CriticUpdate } from './update-critic.ts';
import type { PolicyUpdate } from './update-policy.ts';

/** Numbers by name. */
export type Metrics = Record<string, number>;

/** The row of an iteration, from groups of metrics; numbers that are not finite are left out: JSON cannot hold them. */
export function metricRow(iteration: number, ...groups: readonly Metrics[]): MetricRow {
  const all = groups.flatMap((group) => Object.entries(group));
  return { ...Object.fromEntries(all.filter(([, value]) => Number.isFinite(value))), iteration };
}

/** `reward/*`: in units of reward; `frac_zero_std` is 1 when all episodes brought the same, else 0. */
export function rewardMetrics(verdicts: readonly Verdict[]): Metrics {
  const { mean: average, std, parts } = rewardSummary(verdicts);
  const named = Object.entries(parts).map(([name, value]) => [`reward/${name}`, value]);
  return {
    ...Object.fromEntries(named),
    'reward/mean': average,
    'reward/std': std,
    'reward/frac_zero_std': allEqual(verdicts) ? 1 : 0,
  };
}

/** `sampling/*`: |decode − training graph| of the sampled tokens' log-probs, in nats. */
export function samplingMetrics(game: Game, episodes: readonly Episode[], { scores }: TokenFindings): Metrics {
  const differences = game.agents.flatMap((_, agent) => {
    const decoded = concat(utterancesOf(episodes, agent).map(({ logprobs }) => logprobs));
    const trained = concat(at(scores.old, agent).logprobs);
    return Array.from(decoded, (logprob, k) => Math.abs(logprob - at(trained, k)));
  });
  return {
    'sampling/logp_diff_mean': mean(differences),
    'sampling/logp_diff_max': differences.reduce((most, one) => Math.max(most, one), 0),
  };
}

/**
 * One agent's metrics. Entropy, ref_kl, advantages and lengths are those of the policy that sampled; approx_kl, clipfrac
 * and ratios say how far it has moved by the end of its update; policy_loss and grad_norm are means over its steps.
 */
export function agentMetrics(
  game: Game,
  agent: number,
  episodes: readonly Episode[],
  { scores, values, credit }: TokenFindings,
  hasCritic: boolean,
): Metrics {
  const utterances = utterancesOf(episodes, agent);
  const old = at(scores.old, agent);
  const oldLogprobs = concat(old.logprobs);
  const advantages = concat(at(credit.advantages, agent));
  const tokens = oldLogprobs.length;
  const explained = hasCritic ? explainedVariance(concat(at(values, agent)), concat(at(credit.outcomes, agent))) : null;
  return prefixed(at(game.agents, agent).name, {
    entropy: mean(concat(old.entropies)),
    ref_kl: mean(concat(at(scores.ref, agent)).map((logprob, k) => k3(logprob - at(oldLogprobs, k)))),
    adv_mean: mean(advantages),
    adv_std: Math.sqrt(variance(advantages)),
    tokens,
    mean_len: tokens / utterances.length,
    truncated_frac: mean(utterances.map(({ truncated }) => (truncated ? 1 : 0))),
    ...(explained === null ? {} : { explained_variance: explained }),
  });
}

/** What an agent's update did, see `agentMetrics`. `loraNorm` is the adapter's Euclidean norm after it. */
export function updateMetrics(
  game: Game,
  agent: number,
  update: PolicyUpdate,
  { scores, actionSizes }: TokenFindings,
  settings: ObjectiveSettings,
  learningRate: number,
  loraNorm: number,
): Metrics {
  const oldLogprobs = concat(at(scores.old, agent).logprobs);
  const lengths = at(scores.old, agent).logprobs.map(({ length }) => length);
  const decided = { lengths, actionSizes: actionSizes === null ? null : at(actionSizes, agent) };
  const oldDecisions = decisionLogprobs(oldLogprobs, decided);
  const newDecisions = update.newLogprobs === null ? oldDecisions : decisionLogprobs(concat(update.newLogprobs), decided);
  const shift = policyShift(newDecisions, oldDecisions, settings);
  return prefixed(at(game.agents, agent).name, {
    policy_loss: mean(update.objectives.map(({ policyLoss }) => policyLoss)),
    approx_kl: shift.approxKl,
    old_approx_kl: shift.oldApproxKl,
    clipfrac: shift.clipfrac,
    ratio_mean: shift.ratioMean,
    ratio_max: shift.ratioMax,
    grad_norm: mean(update.gradNorms),
    lora_norm: loraNorm,
    lr: learningRate,
    skipped_updates: update.skipped,
    dropped_steps: update.dropped,
  });
}

/** `<agent>/reward`: mean verdict on each agent's own words, where these are judged. */
export function ownRewardMetrics(game: Game, { own }: Rewards): Metrics {
  return Object.fromEntries((own ?? []).map((rewards, agent) => [`${at(game.agents, agent).name}/reward`, mean(rewards)]));
}

/** `critic/*`: of the values before this iteration's update, and means over the update's steps. */
export function criticMetrics(updates: readonly CriticUpdate[], { values, credit }: TokenFindings): Metrics {
  if (updates.length === 0) return {};
  const flatValues = concat(values.flat());
  const explained = explainedVariance(flatValues, concat(credit.outcomes.flat()));
  const losses = updates.flatMap((update) => update.losses);
  return {
    'critic/value_loss': mean(losses.map(({ loss }) => loss)),
    'critic/clipfrac': mean(losses.map(({ clipfrac }) => clipfrac)),
    'critic/grad_norm': mean(updates.flatMap((update) => update.gradNorms)),
    'critic/vpred_mean': mean(flatValues),
    'critic/dropped_steps': updates.reduce((sum, { dropped }) => sum + dropped, 0),
    ...(explained === null ? {} : { 'critic/explained_variance': explained }),
  };
}

/** `eval/*`: mean reward on held-out problems. */
export function evaluationMetrics({ sampled, greedy }: Evaluation): Metrics {
  return { 'eval/reward': sampled, 'eval/reward_greedy': greedy };
}

/** Generated tokens per second of rollout, and trained tokens (once per step) per second of update. */
export function throughput(
  watch: Stopwatch,
  episodes: readonly Episode[],
  updates: ReadonlyMap<number, PolicyUpdate>,
): Metrics {
  const count = (utterances: readonly Utterance[]): number => utterances.reduce((sum, { tokens }) => sum + tokens.length, 0);
  const played = count(episodes.flatMap(({ utterances }) => utterances));
  const trained = [...updates].reduce(
    (sum, [agent, { objectives }]) => sum + objectives.length * count(utterancesOf(episodes, agent)),
    0,
  );
  return {
    'rollout/tok_per_s': played / watch.seconds('rollout'),
    ...(trained > 0 ? { 'train/tok_per_s': trained / watch.seconds('update') } : {}),
  };
}

function prefixed(namespace: string, metrics: Metrics): Metrics {
  return Object.fromEntries(Object.entries(metrics).map(([name, value]) => [`${namespace}/${name}`, value]));
}
