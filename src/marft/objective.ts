/** The objective of one agent (PPO, arXiv 1707.06347, equation 7; marft.md, section 4) and its derivatives. */
import { at, splitLike } from './arrays.ts';
import { perAction, perToken } from './decisions.ts';
import { evenShape, type LossShape } from './loss-shape.ts';
import type { AlgorithmSettings } from './settings.ts';

export type ObjectiveSettings = Pick<AlgorithmSettings, 'clipLow' | 'clipHigh' | 'entropyCoef' | 'klLossCoef'>;

/** All of an agent's tokens of a batch, each array `[tokens]` where nothing else is said; log-probs and entropies in nats. */
export interface ObjectiveInputs {
  newLogprobs: Float32Array;
  oldLogprobs: Float32Array;
  /** Under the adapter-off base. */
  refLogprobs: Float32Array;
  /** `[decisions]`: per token, or per utterance at action level. */
  advantages: Float32Array;
  /** Of the new policy over the full vocabulary. */
  entropies: Float32Array;
}

/** How far a policy has moved from the one that sampled. */
export interface PolicyShift {
  /** Mean k3 estimate of KL(old ‖ new), in nats. */
  approxKl: number;
  /** Mean of −ln ρ, the noisier estimate of the same, in nats. */
  oldApproxKl: number;
  /** Fraction of decisions whose ratio lies outside the clip range. */
  clipfrac: number;
  ratioMean: number;
  ratioMax: number;
}

export interface Objective {
  /** policyLoss − c_H · entropy + β · refKl. */
  loss: number;
  policyLoss: number;
  /** Mean entropy, in nats. */
  entropy: number;
  /** Mean k3 estimate of KL(new ‖ base), in nats. */
  refKl: number;
  shift: PolicyShift;
  /** dL/dlogprob, `[tokens]`. */
  dLogprobs: Float32Array;
  /** dL/dentropy, `[tokens]`. */
  dEntropies: Float32Array;
}

/** ρ = exp(lp_new − lp_old). */
export function ratio(newLogprob: number, oldLogprob: number): number {
  return Math.exp(newLogprob - oldLogprob);
}

/** Schulman's k3 estimator, e^d − 1 − d ≥ 0, of KL(p ‖ q) from a sample of p with d = ln q − ln p, in nats. */
export function k3(d: number): number {
  return Math.expm1(d) - d;
}

/** min(ρA, clip(ρ, 1 − ε_low, 1 + ε_high) A), to be maximised. */
export function clippedSurrogate(rho: number, advantage: number, clipLow: number, clipHigh: number): number {
  const clipped = Math.min(Math.max(rho, 1 - clipLow), 1 + clipHigh);
  return Math.min(rho * advantage, clipped * advantage);
}

/** Its derivative by ln ρ: ρA while the unclipped term is the smaller one, otherwise 0. */
export function clippedSurrogateSlope(rho: number, advantage: number, clipLow: number, clipHigh: number): number {
  const isUnclipped = rho * advantage <= clippedSurrogate(rho, advantage, clipLow, clipHigh);
  return isUnclipped ? rho * advantage : 0;
}

/** The log-probs that ratios are made of, `[decisions]`: the tokens' own, or at action level each utterance's sum over its size. */
export function decisionLogprobs(logprobs: Float32Array, { lengths, actionSizes }: Pick<LossShape, 'lengths' | 'actionSizes'>): ArrayLike<number> {
  if (actionSizes === null) return logprobs;
  return perAction(splitLike(logprobs, lengths.map((length) => ({ length }))), actionSizes);
}

/** The loss with its derivatives: by default the mean over the agent's own tokens. Of no tokens it is 0. */
export function objective(
  inputs: ObjectiveInputs,
  settings: ObjectiveSettings,
  shape: LossShape = evenShape(inputs.newLogprobs.length),
): Objective {
  const { entropyCoef, klLossCoef } = settings;
  const { lengths, actionSizes, tokenWeights } = shape;
  const newDecisions = decisionLogprobs(inputs.newLogprobs, shape);
  const oldDecisions = decisionLogprobs(inputs.oldLogprobs, shape);
  const { policyLoss, slopes } = surrogateLoss(newDecisions, oldDecisions, inputs.advantages, shape, settings);
  const ofTokens = actionSizes === null ? slopes : perToken(slopes, actionSizes, lengths);

  const count = inputs.newLogprobs.length;
  const dLogprobs = new Float32Array(count);
  const dEntropies = new Float32Array(count);
  let entropy = 0;
  let refKl = 0;
  for (let k = 0; k < count; k++) {
    const weight = at(tokenWeights, k);
    const d = at(inputs.refLogprobs, k) - at(inputs.newLogprobs, k);
    entropy += weight * at(inputs.entropies, k);
    refKl += weight * k3(d);
    // d k3 / d lp_new = 1 − e^d
    dLogprobs[k] = at(ofTokens, k) - weight * klLossCoef * Math.expm1(d);
    dEntropies[k] = -entropyCoef * weight;
  }
  const loss = policyLoss - entropyCoef * entropy + klLossCoef * refKl;
  const shift = policyShift(newDecisions, oldDecisions, settings);
  return { loss, policyLoss, entropy, refKl, shift, dLogprobs, dEntropies };
}

/** − Σ weight · clipped surrogate and its derivative by each decision's log-prob, `[decisions]`. */
function surrogateLoss(
  newLogprobs: ArrayLike<number>,
  oldLogprobs: ArrayLike<number>,
  advantages: Float32Array,
  { decisionWeights }: LossShape,
  { clipLow, clipHigh }: ObjectiveSettings,
): { policyLoss: number; slopes: Float64Array } {
  let policyLoss = 0;
  const slopes = new Float64Array(newLogprobs.length);
  for (let k = 0; k < newLogprobs.length; k++) {
    const weight = at(decisionWeights, k);
    const rho = ratio(at(newLogprobs, k), at(oldLogprobs, k));
    policyLoss -= weight * clippedSurrogate(rho, at(advantages, k), clipLow, clipHigh);
    slopes[k] = -weight * clippedSurrogateSlope(rho, at(advantages, k), clipLow, clipHigh);
  }
  return { policyLoss, slopes };
}

/** Statistics of the ratios between two scorings of the same decisions, `[decisions]` each. */
export function policyShift(
  newLogprobs: ArrayLike<number>,
  oldLogprobs: ArrayLike<number>,
  { clipLow, clipHigh }: Pick<ObjectiveSettings, 'clipLow' | 'clipHigh'>,
): PolicyShift {
  const weight = 1 / Math.max(1, newLogprobs.length);
  const shift: PolicyShift = { approxKl: 0, oldApproxKl: 0, clipfrac: 0, ratioMean: 0, ratioMax: 0 };
  for (let k = 0; k < newLogprobs.length; k++) {
    const logRatio = at(newLogprobs, k) - at(oldLogprobs, k);
    const rho = Math.exp(logRatio);
    shift.approxKl += weight * k3(logRatio);
    shift.oldApproxKl -= weight * logRatio;
    if (rho < 1 - clipLow || rho > 1 + clipHigh) shift.clipfrac += weight;
    shift.ratioMean += weight * rho;
    shift.ratioMax = Math.max(shift.ratioMax, rho);
  }
  return shift;
}
