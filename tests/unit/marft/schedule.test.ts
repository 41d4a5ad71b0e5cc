import { describe, expect, it } from 'vitest';
import { createGame } from '../../../src/marft/game.ts';
import { learningRateAt, updateOrder } from '../../../src/marft/schedule.ts';
import { team } from './doubles.ts';

describe('the order of updates', () => {
  const game = createGame(team([{}, { trainable: false }, {}, {}]));

  it('is the generation order of the trainable agents when fixed', () => {
    expect(updateOrder(game, 'fixed', 1, 1)).toEqual([0, 2, 3]);
  });

  it('is a permutation that seed and iteration decide when random', () => {
    const orders = Array.from({ length: 20 }, (_, k) => updateOrder(game, 'random', 1, k + 1));
    for (const order of orders) expect([...order].sort()).toEqual([0, 2, 3]);
    expect(new Set(orders.map(String)).size).toBeGreaterThan(1);
    expect(updateOrder(game, 'random', 1, 7)).toEqual(orders[6]);
  });
});

describe('the learning rate', () => {
  const linear = { learningRate: 0.01, lrSchedule: 'linear', lrFinalFraction: 0.1 } as const;

  it('falls in a line from its full value to the final fraction', () => {
    expect([1, 2, 3].map((iteration) => learningRateAt(iteration, 3, linear))).toEqual([
      0.01,
      expect.closeTo(0.0055, 12),
      expect.closeTo(0.001, 12),
    ]);
  });

  it('stays there beyond the last iteration, and is whole in a run of one', () => {
    expect(learningRateAt(9, 3, linear)).toBeCloseTo(0.001, 12);
    expect(learningRateAt(1, 1, linear)).toBe(0.01);
  });

  it('does not move when constant', () => {
    expect(learningRateAt(3, 3, { ...linear, lrSchedule: 'constant' })).toBe(0.01);
  });
});
