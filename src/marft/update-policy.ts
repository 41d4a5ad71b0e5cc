/** One agent's turn in the sequential update: its epochs over the iteration's tokens, on its own adapter and AdamW. */
import type { Policy, StepOptions, TokenScores, TokenSequence } from '../engine/types.ts';
import { at, concat, splitLike } from './arrays.ts';
import type { Game } from './game.ts';
import { lossShape, type LossShape } from './loss-shape.ts';
import { objective, type Objective, type ObjectiveSettings } from './objective.ts';
import { utterancesOf, type Episode } from './rollout.ts';
import type { AlgorithmSettings } from './settings.ts';
import type { TokenFindings } from './transcripts.ts';

/** One agent's tokens and what is known of them, `[utterances][tokens]`. */
export interface PolicyBatch {
  utterances: readonly TokenSequence[];
  temperature: number;
  old: TokenScores;
  ref: readonly Float32Array[];
  /** Normalised, `[utterances][decisions]`. */
  advantages: readonly Float32Array[];
  /** Absent: tokens decide, and each counts the same. */
  shape?: LossShape;
}

export interface PolicyUpdate {
  /** One per step that was applied. */
  objectives: Objective[];
  /** Norms before clipping, one per step that was applied. */
  gradNorms: number[];
  /** Epochs that were not taken because the policy had moved far enough or had nothing to learn from. */
  skipped: number;
  /** Steps that were not finite and therefore dropped. */
  dropped: number;
  /** The tokens' log-probs after the last step; null when no step was applied. */
  newLogprobs: Float32Array[] | null;
}

/** An agent's share of an iteration; `advantages` is `[utterances][decisions]`. Utterances that are not `kept` teach nothing. */
export function policyBatch(
  game: Game,
  agent: number,
  episodes: readonly Episode[],
  { scores: { old, ref }, actionSizes }: Pick<TokenFindings, 'scores' | 'actionSizes'>,
  advantages: readonly Float32Array[],
  kept: readonly boolean[],
): PolicyBatch {
  const { temperature } = at(game.agents, agent);
  const utterances = utterancesOf(episodes, agent);
  const lengths = utterances.map(({ tokens }) => tokens.length);
  const shape = lossShape(lengths, actionSizes === null ? null : at(actionSizes, agent), kept);
  return { utterances, temperature, old: at(old, agent), ref: at(ref, agent), advantages, shape };
}

/** Which utterances the policies learn from, `[agents][utterances]`: all, or those that the length limit has not cut. */
export function keptUtterances(game: Game, episodes: readonly Episode[], truncation: AlgorithmSettings['truncation']): boolean[][] {
  return game.agents.map((_, agent) => utterancesOf(episodes, agent).map(({ truncated }) => truncation !== 'mask' || !truncated));
}

/** What an update that never starts reports. */
export function skippedUpdate(epochs: number): PolicyUpdate {
  return { objectives: [], gradNorms: [], skipped: epochs, dropped: 0, newLogprobs: null };
}

/**
 * Takes up to `epochs` steps. A step whose loss or gradient is not finite never reaches the weights and ends the update:
 * the same tokens would give the same again. The first epoch needs no forward pass: the new scores are the old ones.
 */
export async function updatePolicy(
  policy: Pick<Policy, 'score' | 'backward' | 'step' | 'zeroGrad'>,
  { utterances, temperature, old, ref, advantages, shape }: PolicyBatch,
  settings: ObjectiveSettings & Pick<AlgorithmSettings, 'epochs' | 'targetKl'>,
  stepOptions: StepOptions,
): Promise<PolicyUpdate> {
  const update: PolicyUpdate = { objectives: [], gradNorms: [], skipped: 0, dropped: 0, newLogprobs: null };
  const fixed = {
    oldLogprobs: concat(old.logprobs),
    refLogprobs: concat(ref),
    advantages: concat(advantages),
  };
  let scores: TokenScores | null = old;
  for (let epoch = 0; epoch < settings.epochs; epoch++) {
    scores ??= await policy.score(utterances, temperature);
    const now = objective(
      { ...fixed, newLogprobs: concat(scores.logprobs), entropies: concat(scores.entropies) },
      settings,
      shape,
    );
    if (settings.targetKl !== null && now.shift.approxKl > settings.targetKl) {
      update.skipped = settings.epochs - epoch;
      break;
    }
    if (!Number.isFinite(now.loss)) {
      update.dropped++;
      break;
    }
    await policy.backward(utterances, temperature, {
      logprobs: splitLike(now.dLogprobs, utterances.map(({ tokens }) => tokens)),
      entropies: splitLike(now.dEntropies, utterances.map(({ tokens }) => tokens)),
    });
    const { applied, gradNorm } = await policy.step(stepOptions);
    if (!applied) {
      await policy.zeroGrad();
      update.dropped++;
      break;
    }
    update.objectives.push(now);
    update.gradNorms.push(gradNorm);
    scores = null;
  }
  if (update.objectives.length > 0) {
    update.newLogprobs = (scores ?? (await policy.score(utterances, temperature))).logprobs;
  }
  return update;
}
