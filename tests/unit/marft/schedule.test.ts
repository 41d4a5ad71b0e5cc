import { describe, expect, it } from 'vitest';
import { createGame } from '../../../src/marft/game.ts';
import { learningRateAt, updateGroups, updateOrder } from '../../../src/marft/schedule.ts';
import { algorithm, team } from './doubles.ts';

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

describe('who learns together and when', () => {
  const game = createGame(team([{}, { trainable: false }, {}, {}]));
  const groups = (settings: object, iteration: number) => updateGroups(game, algorithm(settings), 1, iteration);

  it('is each agent alone by default, and all in step when joint', () => {
    expect(groups({}, 1)).toEqual([[0], [2], [3]]);
    expect(groups({ updateSchedule: 'joint' }, 1)).toEqual([[0, 2, 3]]);
  });

  it('is one agent for a block of iterations, then the next', () => {
    const blocks = { updateSchedule: 'blocks', blockIterations: 2 };
    expect([1, 2, 3, 4, 5, 6, 7].map((iteration) => groups(blocks, iteration))).toEqual([[[0]], [[0]], [[2]], [[2]], [[3]], [[3]], [[0]]]);
  });

  it('gives everyone a block before anyone has a second one, in a random order too', () => {
    const blocks = { updateSchedule: 'blocks', blockIterations: 1, order: 'random' };
    const agents = Array.from({ length: 12 }, (_, k) => groups(blocks, k + 1).flat()).flat();
    for (let round = 0; round < 4; round++) expect(agents.slice(3 * round, 3 * round + 3).sort()).toEqual([0, 2, 3]);
  });

  it('is nobody in a team that is frozen', () => {
    const frozen = createGame(team([{ trainable: false }]));
    for (const updateSchedule of ['sequential', 'joint', 'blocks']) {
      expect(updateGroups(frozen, algorithm({ updateSchedule }), 1, 1)).toEqual([]);
    }
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

  it('falls along half a cosine when asked', () => {
    const cosine = { ...linear, lrSchedule: 'cosine' } as const;
    const rates = [1, 2, 3, 4, 5].map((iteration) => learningRateAt(iteration, 5, cosine));
    const expected = [0, 1, 2, 3, 4].map((k) => 0.001 + 0.009 * (1 + Math.cos((Math.PI * k) / 4)) / 2);
    rates.forEach((rate, k) => expect(rate).toBeCloseTo(expected[k] ?? Number.NaN, 12));
  });

  it('rises over the warm-up to its full value and falls over the rest', () => {
    const warm = { ...linear, warmupIterations: 2 };
    const rates = [1, 2, 3, 4, 5].map((iteration) => learningRateAt(iteration, 5, warm));
    [0.005, 0.01, 0.01, 0.0055, 0.001].forEach((rate, k) => expect(rates[k]).toBeCloseTo(rate, 12));
    expect(learningRateAt(3, 10, { ...warm, lrSchedule: 'constant' })).toBe(0.01);
  });
});
