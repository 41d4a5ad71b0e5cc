import { describe, expect, it } from 'vitest';
import { at } from '../../../src/marft/arrays.ts';
import { k3, objective, policyShift, type ObjectiveInputs, type ObjectiveSettings } from '../../../src/marft/objective.ts';
import { Random } from '../../../src/random/random.ts';

const PLAIN: ObjectiveSettings = { clipLow: 0.2, clipHigh: 0.2, entropyCoef: 0, klLossCoef: 0 };

/** Tokens with these ratios and advantages, on a base that agrees with the new policy. */
function tokens(ratios: readonly number[], advantages: readonly number[]): ObjectiveInputs {
  const newLogprobs = Float32Array.from(ratios, (ratio) => Math.log(ratio) - 1);
  return {
    newLogprobs,
    oldLogprobs: new Float32Array(ratios.length).fill(-1),
    refLogprobs: newLogprobs,
    advantages: Float32Array.from(advantages),
    entropies: new Float32Array(ratios.length).fill(0.5),
  };
}

describe('the clipped objective', () => {
  it('is −A where nothing has moved, with slope −A per token', () => {
    const result = objective(tokens([1, 1], [2, -1]), PLAIN);
    expect(result.loss).toBeCloseTo(-0.5, 6);
    expect([...result.dLogprobs]).toEqual([-1, 0.5]);
  });

  // ρ, A, min(ρA, clip(ρ)A), slope by ln ρ
  it.each([
    ['rises too far on a good token: held', 1.5, 1, 1.2, 0],
    ['rises on a bad token: not held', 1.5, -1, -1.5, -1.5],
    ['falls too far on a bad token: held', 0.5, -1, -0.8, 0],
    ['falls on a good token: not held', 0.5, 1, 0.5, 0.5],
    ['within the range', 1.1, 1, 1.1, 1.1],
  ])('%s', (_, rho, advantage, surrogate, slope) => {
    const result = objective(tokens([rho], [advantage]), PLAIN);
    expect(result.policyLoss).toBeCloseTo(-surrogate, 6);
    expect(at(result.dLogprobs, 0)).toBeCloseTo(-slope, 6);
  });

  it('clips higher than low when asked', () => {
    const result = objective(tokens([1.5], [1]), { ...PLAIN, clipHigh: 0.4 });
    expect(result.policyLoss).toBeCloseTo(-1.4, 6);
  });

  it('adds the entropy bonus and the k3 penalty by their coefficients', () => {
    const inputs = { ...tokens([1, 1], [0, 0]), refLogprobs: Float32Array.of(-1, -1.5) };
    const result = objective(inputs, { ...PLAIN, entropyCoef: 0.1, klLossCoef: 0.3 });
    const penalty = (Math.exp(-0.5) - 1 + 0.5) / 2;
    expect(result.refKl).toBeCloseTo(penalty, 6);
    expect(result.entropy).toBeCloseTo(0.5, 6);
    expect(result.loss).toBeCloseTo(-0.05 + 0.3 * penalty, 6);
    expect(at(result.dEntropies, 0)).toBeCloseTo(-0.05, 6);
  });

  it('logs the distance to the base even without a penalty', () => {
    const inputs = { ...tokens([1], [0]), refLogprobs: Float32Array.of(-2) };
    expect(objective(inputs, PLAIN).refKl).toBeCloseTo(Math.exp(-1), 6);
  });

  it('averages over the agent’s own tokens', () => {
    const once = objective(tokens([1.1], [1]), PLAIN);
    const twice = objective(tokens([1.1, 1.1], [1, 1]), PLAIN);
    expect(twice.loss).toBeCloseTo(once.loss, 6);
    expect(at(twice.dLogprobs, 0)).toBeCloseTo(at(once.dLogprobs, 0) / 2, 6);
  });

  it('of no tokens is 0', () => {
    expect(objective(tokens([], []), PLAIN).loss).toBe(0);
  });

  it('is not finite when a log-prob is not', () => {
    const inputs = { ...tokens([1], [1]), newLogprobs: Float32Array.of(Number.NaN) };
    expect(objective(inputs, PLAIN).loss).toBeNaN();
  });
});

describe('the derivatives', () => {
  const random = new Random(7);
  const count = 24;
  const some = (scale: number, shift = 0): Float32Array => Float32Array.from({ length: count }, () => shift + scale * random.normal());
  const oldLogprobs = some(0.5, -2);
  const inputs: ObjectiveInputs = {
    oldLogprobs,
    newLogprobs: oldLogprobs.map((logprob) => logprob + 0.3 * random.normal()),
    refLogprobs: some(0.5, -2),
    advantages: some(1),
    entropies: some(0.1, 1),
  };
  const settings: ObjectiveSettings = { clipLow: 0.2, clipHigh: 0.3, entropyCoef: 0.05, klLossCoef: 0.2 };
  const { dLogprobs, dEntropies } = objective(inputs, settings);

  /** Central difference of the loss by element k. The step is exact in f32, so only the loss is approximated. */
  function slope(field: 'newLogprobs' | 'entropies', k: number): number {
    const moved = (by: number): { loss: number; x: number } => {
      const values = inputs[field].slice();
      values[k] = at(values, k) + by;
      return { loss: objective({ ...inputs, [field]: values }, settings).loss, x: at(values, k) };
    };
    const [high, low] = [moved(2 ** -9), moved(-(2 ** -9))];
    return (high.loss - low.loss) / (high.x - low.x);
  }

  it('by each log-prob agree with finite differences', () => {
    for (let k = 0; k < count; k++) expect(Math.abs(slope('newLogprobs', k) - at(dLogprobs, k)), `token ${k}`).toBeLessThan(2e-5);
  });

  it('by each entropy agree with finite differences', () => {
    for (let k = 0; k < count; k++) expect(slope('entropies', k)).toBeCloseTo(at(dEntropies, k), 6);
  });
});

describe('statistics of the ratios', () => {
  it('are exactly those of an unmoved policy when the scores are the same: ratio 1, no KL, nothing clipped', () => {
    const logprobs = Float32Array.of(-0.1, -3.7, -12.3);
    expect(policyShift(logprobs, logprobs, PLAIN)).toMatchObject({ approxKl: 0, clipfrac: 0, ratioMax: 1 });
  });

  it('k3 is positive on either side and its noise at nothing is nothing', () => {
    expect(k3(0.1)).toBeCloseTo(Math.exp(0.1) - 1.1, 12);
    expect(k3(-0.1)).toBeCloseTo(Math.exp(-0.1) - 0.9, 12);
    expect(k3(1e-9)).toBeGreaterThanOrEqual(0);
    expect(k3(1e-9)).toBeLessThan(1e-16);
  });

  it('count what lies outside the clip range', () => {
    const old = new Float32Array(4);
    const shift = policyShift(Float32Array.from([0.7, 0.9, 1.1, 1.3], Math.log), old, PLAIN);
    expect(shift.clipfrac).toBe(0.5);
    expect(shift.ratioMean).toBeCloseTo(1, 6);
    expect(shift.ratioMax).toBeCloseTo(1.3, 6);
    expect(shift.oldApproxKl).toBeCloseTo(-(Math.log(0.7) + Math.log(0.9) + Math.log(1.1) + Math.log(1.3)) / 4, 6);
    expect(shift.approxKl).toBeCloseTo(shift.oldApproxKl, 6);
  });
});
