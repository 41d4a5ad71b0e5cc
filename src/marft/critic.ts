/** The critic's loss (PPO's clipped value loss as in CleanRL's `ppo.py`) and how much of the outcomes it explains. */
import { at, variance } from './arrays.ts';
import type { AlgorithmSettings } from './settings.ts';

export type ValueLossKind = AlgorithmSettings['critic']['loss'];

export interface ValueLoss {
  /** Mean over tokens, in units of reward². */
  loss: number;
  /** Fraction of values that moved further than the clip range. */
  clipfrac: number;
  /** dL/dvalue, `[tokens]`. */
  dValues: Float32Array;
}

/** Where Huber's loss turns linear, in units of reward: half the range that a reward can span. */
const HUBER_DELTA = 0.5;

/** ½e², or Huber's loss: the same near 0 and linear beyond, alike for errors of either sign. */
export function errorLoss(error: number, kind: ValueLossKind): number {
  const size = Math.abs(error);
  if (kind === 'mse' || size <= HUBER_DELTA) return 0.5 * error ** 2;
  return HUBER_DELTA * (size - 0.5 * HUBER_DELTA);
}

/** Derivative of `errorLoss` by the error. */
export function errorSlope(error: number, kind: ValueLossKind): number {
  return kind === 'mse' ? error : Math.min(Math.max(error, -HUBER_DELTA), HUBER_DELTA);
}

/**
 * mean max(l(V − R), l(V_old + clip(V − V_old, ±c) − R)); every array is `[tokens]`, in units of reward. A clip range of 0
 * turns clipping off: nothing could be learned within it.
 */
export function clippedValueLoss(
  values: Float32Array,
  oldValues: Float32Array,
  returns: Float32Array,
  { clip, loss: kind }: Pick<AlgorithmSettings['critic'], 'clip' | 'loss'>,
): ValueLoss {
  const weight = 1 / Math.max(1, values.length);
  const result: ValueLoss = { loss: 0, clipfrac: 0, dValues: new Float32Array(values.length) };
  for (let k = 0; k < values.length; k++) {
    const value = at(values, k);
    const target = at(returns, k);
    const move = value - at(oldValues, k);
    const free = errorLoss(value - target, kind);
    const isClipped = clip > 0 && Math.abs(move) > clip;
    const held = isClipped ? errorLoss(at(oldValues, k) + Math.sign(move) * clip - target, kind) : free;
    result.loss += weight * Math.max(free, held);
    if (isClipped) result.clipfrac += weight;
    // Where the held term is the larger one, the loss does not depend on the value.
    result.dValues[k] = free >= held ? weight * errorSlope(value - target, kind) : 0;
  }
  return result;
}

/** 1 − Var(outcome − value) / Var(outcome), `[tokens]` each; null where all outcomes are alike and nothing is to explain. */
export function explainedVariance(values: Float32Array, outcomes: Float32Array): number | null {
  const total = variance(outcomes);
  if (!(total > 0)) return null;
  return 1 - variance(outcomes.map((outcome, k) => outcome - at(values, k))) / total;
}
