/** The per-token objective of one agent (PPO, arXiv 1707.06347, equation 7; marft.md, section 4) and its derivatives. */
import { at } from './arrays.ts';
import type { AlgorithmSettings } from './settings.ts';

export type ObjectiveSettings = Pick<AlgorithmSettings, 'clipLow' | 'clipHigh' | 'entropyCoef' | 'klLossCoef'>;

/** All of an agent's tokens of a batch, each array `[tokens]`; log-probs and entropies in nats. */
export interface ObjectiveInputs {
  newLogprobs: Float32Array;
  oldLogprobs: Float32Array;
  /** Under the adapter-off base. */
  refLogprobs: Float32Array;
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
  /** Fraction of tokens whose ratio lies outside the clip range. */
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

/** The loss over the agent's own tokens, averaged per token, with its derivatives. Of no tokens the loss is 0. */
export function objective(inputs: ObjectiveInputs, settings: ObjectiveSettings): Objective {
  const { clipLow, clipHigh, entropyCoef, klLossCoef } = settings;
  const count = inputs.newLogprobs.length;
  const weight = 1 / Math.max(1, count);
  const dLogprobs = new Float32Array(count);
  const dEntropies = new Float32Array(count).fill(-entropyCoef * weight);
  let policyLoss = 0;
  let entropy = 0;
  let refKl = 0;
  for (let k = 0; k < count; k++) {
    const newLogprob = at(inputs.newLogprobs, k);
    const advantage = at(inputs.advantages, k);
    const rho = ratio(newLogprob, at(inputs.oldLogprobs, k));
    const d = at(inputs.refLogprobs, k) - newLogprob;
    policyLoss -= weight * clippedSurrogate(rho, advantage, clipLow, clipHigh);
    entropy += weight * at(inputs.entropies, k);
    refKl += weight * k3(d);
    // d k3 / d lp_new = 1 − e^d
    dLogprobs[k] = -weight * (clippedSurrogateSlope(rho, advantage, clipLow, clipHigh) + klLossCoef * Math.expm1(d));
  }
  const loss = policyLoss - entropyCoef * entropy + klLossCoef * refKl;
  const shift = policyShift(inputs.newLogprobs, inputs.oldLogprobs, settings);
  return { loss, policyLoss, entropy, refKl, shift, dLogprobs, dEntropies };
}

/** Statistics of the ratios between two scorings of the same tokens, `[tokens]` each. */
export function policyShift(
  newLogprobs: Float32Array,
  oldLogprobs: Float32Array,
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
