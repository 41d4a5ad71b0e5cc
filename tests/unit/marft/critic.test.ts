import { describe, expect, it } from 'vitest';
import { at } from '../../../src/marft/arrays.ts';
import { clippedValueLoss, errorLoss, errorSlope, explainedVariance } from '../../../src/marft/critic.ts';

const MSE = { clip: 0.2, loss: 'mse' } as const;

describe('the error’s loss', () => {
  it('squared is half the square', () => {
    expect(errorLoss(-3, 'mse')).toBe(4.5);
    expect(errorSlope(-3, 'mse')).toBe(-3);
  });

  it('Huber is linear for large errors of either sign and never negative', () => {
    expect(errorLoss(4, 'huber')).toBe(0.5 * (4 - 0.25));
    expect(errorLoss(-4, 'huber')).toBe(errorLoss(4, 'huber'));
    expect(errorSlope(-4, 'huber')).toBe(-0.5);
    expect(errorLoss(0.3, 'huber')).toBeCloseTo(0.045, 12);
  });
});

describe('the clipped value loss', () => {
  it('is the plain one while values stay within the range', () => {
    const result = clippedValueLoss(Float32Array.of(0.5, 0.1), Float32Array.of(0.4, 0.1), Float32Array.of(1, 0), MSE);
    expect(result.loss).toBeCloseTo((0.125 + 0.005) / 2, 6);
    expect(at(result.dValues, 0)).toBeCloseTo(-0.25, 6);
    expect(at(result.dValues, 1)).toBeCloseTo(0.05, 6);
    expect(result.clipfrac).toBe(0);
  });

  it('stops pulling a value that has moved far enough towards its return', () => {
    const result = clippedValueLoss(Float32Array.of(0.5), Float32Array.of(0), Float32Array.of(1), MSE);
    expect(result.loss).toBeCloseTo(0.5 * 0.8 ** 2, 6);
    expect(at(result.dValues, 0)).toBe(0);
    expect(result.clipfrac).toBe(1);
  });

  it('pulls back a value that has moved away from its return', () => {
    const result = clippedValueLoss(Float32Array.of(-0.5), Float32Array.of(0), Float32Array.of(1), MSE);
    expect(at(result.dValues, 0)).toBeCloseTo(-1.5, 6);
  });

  it('has the right slope at a value that has not moved, despite rounding', () => {
    const value = Float32Array.of(0.1);
    expect(at(clippedValueLoss(value, value, Float32Array.of(0.7), MSE).dValues, 0)).toBeCloseTo(-0.6, 6);
  });

  it('does not clip at a range of 0', () => {
    const result = clippedValueLoss(Float32Array.of(5), Float32Array.of(0), Float32Array.of(1), { clip: 0, loss: 'mse' });
    expect(at(result.dValues, 0)).toBe(4);
  });

  it.each(['mse', 'huber'] as const)('has the derivatives of its finite differences (%s)', (loss) => {
    const old = Float32Array.of(0, 0, 0, 0, 0.5, -1);
    const returns = Float32Array.of(1, 1, -2, 0.1, 0.5, 3);
    const values = Float32Array.of(0.15, -0.4, 0.3, 0.3, 0.75, -1.1);
    const settings = { clip: 0.2, loss };
    const { dValues } = clippedValueLoss(values, old, returns, settings);
    for (let k = 0; k < values.length; k++) {
      const moved = (by: number): number =>
        clippedValueLoss(values.map((v, i) => (i === k ? v + by : v)), old, returns, settings).loss;
      expect((moved(2 ** -10) - moved(-(2 ** -10))) / 2 ** -9).toBeCloseTo(at(dValues, k), 3);
    }
  });
});

describe('explained variance', () => {
  it('is 1 for a perfect critic, 0 for a constant, negative for a misleading one', () => {
    const outcomes = Float32Array.of(0, 1, 1, 0);
    expect(explainedVariance(outcomes, outcomes)).toBe(1);
    expect(explainedVariance(new Float32Array(4).fill(0.5), outcomes)).toBe(0);
    expect(explainedVariance(outcomes.map((outcome) => 1 - outcome), outcomes)).toBe(-3);
  });

  it('is unknown when all outcomes are alike', () => {
    expect(explainedVariance(Float32Array.of(0, 1), Float32Array.of(1, 1))).toBeNull();
  });
});
