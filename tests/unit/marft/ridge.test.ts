import { describe, expect, it } from 'vitest';
import { at } from '../../../src/marft/arrays.ts';
import { CriticFeatures } from '../../../src/marft/critic-features.ts';
import { createCritic } from '../../../src/marft/critics.ts';
import { Random } from '../../../src/random/random.ts';
import { RidgeRegression } from '../../../src/marft/ridge.ts';
import { algorithm, TableModel } from './doubles.ts';

describe('ridge regression', () => {
  it('is the closed form: one feature, w = Σxy / (Σx² + penalty)', () => {
    const regression = new RidgeRegression(1, { penalty: 2, memory: 1 });
    regression.observe(Float64Array.of(1, 2, 3), Float32Array.of(2, 3, 7));
    expect(at(regression.predict(Float64Array.of(1)), 0)).toBeCloseTo((2 + 6 + 21) / (14 + 2), 6);
  });

  it('finds the coefficients of a noiseless plane', () => {
    const random = new Random(1);
    const rows = Float64Array.from({ length: 300 }, () => random.normal());
    const targets = Float32Array.from({ length: 100 }, (_, n) => at(rows, 3 * n) - 2 * at(rows, 3 * n + 1) + 0.5 * at(rows, 3 * n + 2));
    const regression = new RidgeRegression(3, { penalty: 1e-6, memory: 1 });
    regression.observe(rows, targets);
    const [first = 0, second = 0, third = 0] = regression.predict(Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1));
    expect([first, second, third].map((value) => Math.round(value * 1e4) / 1e4)).toEqual([1, -2, 0.5]);
  });

  it('is the same in two portions as in one when nothing is forgotten, and forgets by the factor it was given', () => {
    const one = new RidgeRegression(1, { penalty: 1, memory: 1 });
    one.observe(Float64Array.of(1, 2), Float32Array.of(1, 5));
    const two = new RidgeRegression(1, { penalty: 1, memory: 1 });
    two.observe(Float64Array.of(1), Float32Array.of(1));
    two.observe(Float64Array.of(2), Float32Array.of(5));
    expect(two.predict(Float64Array.of(1))).toEqual(one.predict(Float64Array.of(1)));
    const fading = new RidgeRegression(1, { penalty: 1, memory: 0.5 });
    fading.observe(Float64Array.of(1), Float32Array.of(1));
    fading.observe(Float64Array.of(2), Float32Array.of(5));
    expect(at(fading.predict(Float64Array.of(1)), 0)).toBeCloseTo((0.5 + 10) / (0.5 + 4 + 1), 6);
  });

  it('predicts zero before it has seen anything and refuses rows of another width', () => {
    const regression = new RidgeRegression(2, { penalty: 1, memory: 1 });
    expect([...regression.predict(Float64Array.of(3, 4))]).toEqual([0]);
    expect(() => regression.observe(Float64Array.of(1, 2, 3), Float32Array.of(1))).toThrow(RangeError);
  });
});

describe("the linear critic's features", () => {
  const sequences = [{ ids: Int32Array.from({ length: 9 }, (_, i) => i), positions: Int32Array.of(1, 2, 3, 6, 7) }];
  const reading = { width: 1, states: Float32Array.of(1, 2, 3, 4, 5), logprobs: Float32Array.of(-9, -1, -4, -9, -2) };

  it('take positions that follow one another for one utterance and begin each utterance without surprise', () => {
    const features = CriticFeatures.of(sequences, [reading]);
    expect(features.width).toBe(1 + 2 * 2 + 1 + 6 * 2);
    const rows = features.rows(sequences, [reading]);
    const marks = Array.from({ length: 5 }, (_, k) => [...rows.slice(k * features.width, k * features.width + 5)]);
    expect(marks).toEqual([
      [1, 1, 0, 1, 0],
      [1, 1, 0, 0, 0],
      [1, 1, 0, 0, 0],
      [1, 0, 1, 0, 1],
      [1, 0, 1, 0, 0],
    ]);
  });

  it('are standardised over the first batch and keep its scale afterwards', () => {
    const features = CriticFeatures.of(sequences, [reading]);
    const rows = features.rows(sequences, [reading]);
    const state = (k: number): number => at(rows, k * features.width + 5);
    expect([0, 1, 2, 3, 4].reduce((sum, k) => sum + state(k), 0)).toBeCloseTo(0, 6);
    const later = features.rows(sequences, [{ ...reading, states: reading.states.map((value) => value + 10) }]);
    expect(at(later, 5) - state(0)).toBeCloseTo(10 / Math.sqrt(2), 1);
  });
});

describe('the ridge critic', () => {
  it('says 0 first, then what it has learnt, and never more than it has seen', async () => {
    const critic = await createCritic(new TableModel(), algorithm({ critic: { penalty: 0.01 } }), 1);
    const sequences = [{ ids: Int32Array.of(1, 2, 3), positions: Int32Array.of(0, 1) }, { ids: Int32Array.of(4, 5, 6), positions: Int32Array.of(0, 1) }];
    expect((await critic.values(sequences)).map((row) => [...row])).toEqual([[0, 0], [0, 0]]);
    await critic.learn({ sequences, returns: [Float32Array.of(1, 1), Float32Array.of(0, 0)] }, new Random(1));
    const [good, bad] = await critic.values(sequences);
    good?.forEach((value) => expect(value).toBeGreaterThan(0.9));
    bad?.forEach((value) => expect(value).toBeLessThan(0.1));
    for (const value of [...(good ?? []), ...(bad ?? [])]) expect(value >= 0 && value <= 1).toBe(true);
  });

  it('drops a lesson that is not finite and keeps what it knew', async () => {
    const critic = await createCritic(new TableModel(), algorithm(), 1);
    const sequences = [{ ids: Int32Array.of(1, 2), positions: Int32Array.of(0, 1) }];
    await critic.learn({ sequences, returns: [Float32Array.of(1, 1)] }, new Random(1));
    const before = await critic.values(sequences);
    const update = await critic.learn({ sequences, returns: [Float32Array.of(Number.NaN, 1)] }, new Random(1));
    expect(update.dropped).toBe(1);
    expect(await critic.values(sequences)).toEqual(before);
  });
});
