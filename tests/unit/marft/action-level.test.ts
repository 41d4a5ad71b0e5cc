/** MARFT-A: a whole utterance is one action, with one value, one advantage and one ratio. */
import { describe, expect, it } from 'vitest';
import { at } from '../../../src/marft/arrays.ts';
import { createGame } from '../../../src/marft/game.ts';
import { actionSize } from '../../../src/marft/decisions.ts';
import { lossShape } from '../../../src/marft/loss-shape.ts';
import { methodOf } from '../../../src/marft/methods.ts';
import { objective, type ObjectiveInputs } from '../../../src/marft/objective.ts';
import { Random } from '../../../src/random/random.ts';
import { rollout } from '../../../src/marft/rollout.ts';
import { criticViews } from '../../../src/marft/views.ts';
import { algorithm, letterTask, TablePolicy, team, toyTokenizer } from './doubles.ts';

const SETTINGS = { clipLow: 0.2, clipHigh: 0.2, entropyCoef: 0, klLossCoef: 0 };
const all = (count: number): boolean[] => new Array<boolean>(count).fill(true);

/** Two utterances of three and two tokens whose log-probs moved by these amounts. */
function moved(by: readonly number[], advantages: readonly number[]): ObjectiveInputs {
  const oldLogprobs = new Float32Array(5).fill(-1);
  const newLogprobs = Float32Array.from(by, (step) => step - 1);
  return { newLogprobs, oldLogprobs, refLogprobs: newLogprobs, advantages: Float32Array.from(advantages), entropies: new Float32Array(5) };
}

describe('an action’s size', () => {
  it('is 1, its tokens or its words, and never less than 1', () => {
    expect(actionSize(7, 'two words', 'sum')).toBe(1);
    expect(actionSize(7, 'two words', 'token')).toBe(7);
    expect(actionSize(7, ' two  words\n', 'word')).toBe(2);
    expect(actionSize(1, '', 'word')).toBe(1);
  });
});

describe('an action’s objective', () => {
  it('takes the ratio of the whole utterance: the sum of its tokens’ log-ratios', () => {
    const result = objective(moved([0.02, 0.03, 0.05, -0.1, 0], [1, -2]), SETTINGS, lossShape({ lengths: [3, 2], actionSizes: [1, 1], kept: all(2) }));
    expect(result.policyLoss).toBeCloseTo(-(Math.exp(0.1) - 2 * Math.exp(-0.1)) / 2, 6);
    expect(result.shift.ratioMax).toBeCloseTo(Math.exp(0.1), 6);
    [0, 1, 2].forEach((k) => expect(at(result.dLogprobs, k)).toBeCloseTo(-Math.exp(0.1) / 2, 6));
  });

  it('divides the log-ratio by the number of tokens or words', () => {
    const result = objective(moved([0.02, 0.03, 0.04, 0, 0], [1, 0]), SETTINGS, lossShape({ lengths: [3, 2], actionSizes: [3, 2], kept: all(2) }));
    expect(result.shift.ratioMax).toBeCloseTo(Math.exp(0.03), 6);
    expect(at(result.dLogprobs, 1)).toBeCloseTo(-Math.exp(0.03) / 2 / 3, 6);
  });

  it('is held as a whole once the whole utterance has moved too far', () => {
    const result = objective(moved([0.1, 0.1, 0.1, 0, 0], [1, 0]), SETTINGS, lossShape({ lengths: [3, 2], actionSizes: [1, 1], kept: all(2) }));
    expect(result.policyLoss).toBeCloseTo(-0.6, 6);
    expect([...result.dLogprobs.subarray(0, 3)].every((slope) => Math.abs(slope) < 1e-12)).toBe(true);
    expect(result.shift.clipfrac).toBe(0.5);
  });

  it('of utterances of one token is the token-level one', () => {
    const inputs = moved([0.1, -0.1, 0.05, 0.3, 0], [1, 2, -1, 1, 0]);
    const tokens = objective(inputs, { ...SETTINGS, entropyCoef: 0.1, klLossCoef: 0.1 });
    const actions = objective(inputs, { ...SETTINGS, entropyCoef: 0.1, klLossCoef: 0.1 }, lossShape({ lengths: [1, 1, 1, 1, 1], actionSizes: [1, 1, 1, 1, 1], kept: all(5) }));
    expect(actions.loss).toBeCloseTo(tokens.loss, 12);
    actions.dLogprobs.forEach((slope, k) => expect(slope).toBeCloseTo(at(tokens.dLogprobs, k), 7));
  });

  it('passes over an empty utterance', () => {
    const shape = lossShape({ lengths: [3, 0, 2], actionSizes: [1, 1, 1], kept: all(3) });
    expect(objective(moved([0, 0, 0, 0, 0], [1, 3]), SETTINGS, shape).policyLoss).toBeCloseTo(-2, 6);
  });

  it('has the derivatives of its finite differences', () => {
    const random = new Random(5);
    const settings = { ...SETTINGS, klLossCoef: 0.2 };
    const inputs = { ...moved([0.1, -0.02, 0.03, -0.1, 0.02], [1, -2]), refLogprobs: Float32Array.from({ length: 5 }, () => -1 + 0.3 * random.normal()) };
    const shape = lossShape({ lengths: [3, 2], actionSizes: [2, 1], kept: all(2) });
    const { dLogprobs } = objective(inputs, settings, shape);
    for (let k = 0; k < 5; k++) {
      const lossAt = (by: number): number => {
        const newLogprobs = inputs.newLogprobs.map((logprob, i) => (i === k ? logprob + by : logprob));
        return objective({ ...inputs, newLogprobs }, settings, shape).loss;
      };
      expect((lossAt(2 ** -9) - lossAt(-(2 ** -9))) / 2 ** -8).toBeCloseTo(at(dLogprobs, k), 4);
    }
  });
});

describe('an action’s credit', () => {
  const game = createGame(team([{ maxNewTokens: 3 }, { maxNewTokens: 3 }]));
  const play = () =>
    rollout(game, [new TablePolicy(), new TablePolicy()], toyTokenizer(), letterTask().heldOut(4, 0), { key: [1], greedy: false });

  it('is the worked example’s: one value and one advantage per utterance', async () => {
    const episodes = (await play()).slice(0, 1);
    const settings = algorithm({ level: 'action', gammaAgent: 0.99, lambdaToken: 0.95, lambdaAgent: 0.95 });
    const values = [[Float32Array.of(0.4)], [Float32Array.of(0.5)]];
    const { advantages } = methodOf(settings).credit(game, { episodes, rewards: [[1], [1]], values, penalties: null }, settings);
    expect(at(at(at(advantages, 0), 0), 0)).toBeCloseTo(0.56525, 6);
    expect(at(at(at(advantages, 1), 0), 0)).toBeCloseTo(0.5, 6);
  });

  it.each([{}, { critic: { view: 'acting-agent' } }, { method: 'ippo' }])('values each utterance once, at what was there before it (%o)', async (settings) => {
    const episodes = await play();
    const tokens = criticViews(game, toyTokenizer(), episodes, algorithm(settings));
    const actions = criticViews(game, toyTokenizer(), episodes, algorithm({ ...settings, level: 'action' }));
    actions.forEach(({ sequences, spans }, view) => {
      sequences.forEach(({ ids, positions }, k) => {
        const finer = at(at(tokens, view).sequences, k);
        expect(ids).toEqual(finer.ids);
        let start = 0;
        const firsts = at(at(tokens, view).spans, k).map(({ length }) => at(finer.positions, (start += length) - length));
        expect([...positions]).toEqual(firsts);
        expect(at(spans, k).every(({ length }) => length === 1)).toBe(true);
      });
    });
  });
});
