/** What an utterance teaches that its length limit has cut. */
import { describe, expect, it } from 'vitest';
import { at } from '../../../src/marft/arrays.ts';
import { createGame } from '../../../src/marft/game.ts';
import { chainedCredit } from '../../../src/marft/credit.ts';
import { lossShape } from '../../../src/marft/loss-shape.ts';
import { methodOf } from '../../../src/marft/methods.ts';
import { normalizeAdvantages } from '../../../src/marft/normalize.ts';
import { objective } from '../../../src/marft/objective.ts';
import type { Episode } from '../../../src/marft/rollout.ts';
import { keptUtterances } from '../../../src/marft/update-team.ts';
import { algorithm, team } from './doubles.ts';

const DISCOUNTS = { gammaToken: 0.9, gammaAgent: 0.8, lambdaToken: 0.5, lambdaAgent: 0.5 };
const game = createGame(team());

/** Two agents say two tokens each; the agents given are cut. */
function episode(cut: readonly number[]): Episode {
  const utterances = [0, 1].map((agent) => ({
    agent,
    prompt: new Int32Array(1),
    tokens: new Int32Array(2),
    logprobs: new Float32Array(2),
    truncated: cut.includes(agent),
  }));
  return { problem: { id: 'p', question: 'q', answer: 'a' }, utterances };
}

describe('a cut end that bootstraps', () => {
  it('has the last trained value in the place of the verdict', () => {
    const credit = chainedCredit([2], [0.4, 0.6], { reward: 1, cut: true }, DISCOUNTS);
    const last = 0.9 * 0.6 - 0.6;
    expect(at(credit.advantages, 1)).toBeCloseTo(last, 6);
    expect(at(credit.advantages, 0)).toBeCloseTo(0.9 * 0.6 - 0.4 + 0.45 * last, 6);
    expect([...credit.rewards]).toEqual([0, 0]);
  });

  it('counts only where it is the answer that was cut, and the outcome stays what was really earned', () => {
    const settings = algorithm({ ...DISCOUNTS, truncation: 'bootstrap' });
    const values = [[Float32Array.of(0.1, 0.2)], [Float32Array.of(0.3, 0.4)]];
    const credit = (cut: number[]) => {
      const play = { episodes: [episode(cut)], rewards: [[1], [1]], values, penalties: null };
      return methodOf(settings).credit(game, play, settings);
    };
    expect(credit([0])).toEqual(credit([]));
    expect([...at(at(credit([1]).rewards, 1), 0)]).toEqual([0, 0]);
    expect(credit([1]).outcomes).toEqual(credit([]).outcomes);
  });

  it('does not bootstrap unless asked', () => {
    const values = [[Float32Array.of(0.1, 0.2)], [Float32Array.of(0.3, 0.4)]];
    const play = (cut: number[]) => ({ episodes: [episode(cut)], rewards: [[1], [1]], values, penalties: null });
    expect(methodOf(algorithm()).credit(game, play([1]), algorithm())).toEqual(methodOf(algorithm()).credit(game, play([]), algorithm()));
  });
});

describe('a masked utterance', () => {
  const kept = keptUtterances(game, [episode([0]), episode([])], 'mask');

  it('is one that was cut', () => {
    expect(kept).toEqual([[false, true], [true, true]]);
    expect(keptUtterances(game, [episode([0])], 'none')).toEqual([[true], [true]]);
  });

  it('neither moves the normalisation nor has an advantage', () => {
    const advantages = [[Float32Array.of(99, 99), Float32Array.of(0)], [Float32Array.of(2), Float32Array.of(1)]];
    const normalised = normalizeAdvantages(advantages, 'joint', kept);
    const without = normalizeAdvantages([[Float32Array.of(0)], [Float32Array.of(2), Float32Array.of(1)]], 'joint');
    expect(at(at(normalised, 0), 0)).toEqual(Float32Array.of(0, 0));
    expect(at(at(normalised, 0), 1)).toEqual(at(at(without, 0), 0));
    expect(at(normalised, 1)).toEqual(at(without, 1));
  });

  it('adds nothing to the loss and does not dilute it', () => {
    const inputs = {
      newLogprobs: new Float32Array(3).fill(-1),
      oldLogprobs: new Float32Array(3).fill(-1),
      refLogprobs: new Float32Array(3).fill(-2),
      advantages: Float32Array.of(0, 0, 2),
      entropies: Float32Array.of(5, 5, 1),
    };
    const settings = { clipLow: 0.2, clipHigh: 0.2, entropyCoef: 0.1, klLossCoef: 0.1 };
    const result = objective(inputs, settings, lossShape({ lengths: [2, 1], actionSizes: null, kept: [false, true] }));
    const alone = objective(
      {
        newLogprobs: Float32Array.of(-1),
        oldLogprobs: Float32Array.of(-1),
        refLogprobs: Float32Array.of(-2),
        advantages: Float32Array.of(2),
        entropies: Float32Array.of(1),
      },
      settings,
    );
    expect(result.loss).toBeCloseTo(alone.loss, 12);
    expect([...result.dLogprobs]).toEqual([0, 0, at(alone.dLogprobs, 0)].map((slope) => expect.closeTo(slope, 7)));
  });
});
