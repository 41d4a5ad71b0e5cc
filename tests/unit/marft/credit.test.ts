import { describe, expect, it } from 'vitest';
import { at } from '../../../src/marft/arrays.ts';
import type { AgentTokens, BatchCredit } from '../../../src/marft/assign-credit.ts';
import { chainedCredit, chainEdges, gae, type Discounts } from '../../../src/marft/credit.ts';
import { createGame, type Game } from '../../../src/marft/game.ts';
import { methodOf } from '../../../src/marft/methods.ts';
import { normalizeAdvantages } from '../../../src/marft/normalize.ts';
import type { Episode } from '../../../src/marft/rollout.ts';
import type { AlgorithmSettings } from '../../../src/marft/settings.ts';
import { algorithm, team } from './doubles.ts';

const LENGTHS = [2, 3];
const VALUES = [0.4, 0.45, 0.5, 0.55, 0.7];
const ONE: Discounts = { gammaToken: 1, gammaAgent: 1, lambdaToken: 1, lambdaAgent: 1 };

function discounts(gammaToken: number, gammaAgent: number, lambda = 0.95): Discounts {
  return { gammaToken, gammaAgent, lambdaToken: lambda, lambdaAgent: lambda };
}

function expectClose(actual: ArrayLike<number>, expected: readonly number[], tolerance = 1e-6): void {
  expect(actual.length).toBe(expected.length);
  expected.forEach((value, k) => expect(Math.abs(at(actual, k) - value), `token ${k}`).toBeLessThanOrEqual(tolerance));
}

/** An episode in which agent k says `lengths[k]` tokens. */
function episode(lengths: readonly number[]): Episode {
  return {
    problem: { id: 'p', question: 'q', answer: 'a' },
    utterances: lengths.map((length, agent) => ({
      agent,
      prompt: new Int32Array(3),
      tokens: new Int32Array(length),
      logprobs: new Float32Array(length),
      truncated: false,
    })),
  };
}

/** The team reward for every agent, no penalties. */
function assignCredit(game: Game, episodes: readonly Episode[], rewards: number[], values: AgentTokens, settings: AlgorithmSettings): BatchCredit {
  const play = { episodes, rewards: game.agents.map(() => rewards), values, penalties: null };
  return methodOf(settings).credit(game, play, settings);
}

describe('the worked example', () => {
  it('every token, γ = .99 on every edge', () => {
    const { advantages } = chainedCredit(LENGTHS, VALUES, { reward: 1 }, discounts(0.99, 0.99));
    expectClose(advantages, [0.480871, 0.462915, 0.444354, 0.42515, 0.3]);
  });

  it('POAD, γ = 1 within and .99 between utterances', () => {
    const { advantages } = chainedCredit(LENGTHS, VALUES, { reward: 1 }, discounts(1, 0.99));
    expectClose(advantages, [0.506652, 0.480687, 0.46325, 0.435, 0.3]);
  });

  it('γ = λ = 1', () => {
    expectClose(chainedCredit(LENGTHS, VALUES, { reward: 1 }, ONE).advantages, [0.6, 0.55, 0.5, 0.45, 0.3]);
  });

  it('independent, each with its own reward', () => {
    expectClose(chainedCredit([2], VALUES.slice(0, 2), { reward: 0.25 }, ONE).advantages, [-0.15, -0.2]);
    expectClose(chainedCredit([3], VALUES.slice(2), { reward: 0.75 }, ONE).advantages, [0.25, 0.2, 0.05]);
  });

  it('action level, γ = .99: one value per utterance', () => {
    expectClose(chainedCredit([1, 1], [0.4, 0.5], { reward: 1 }, discounts(1, 0.99)).advantages, [0.56525, 0.5]);
  });
});

describe('credit along the chain', () => {
  it('γ = λ = 1 gives A = R − V at every token, whatever the lengths', () => {
    const values = Array.from({ length: 13 }, (_, k) => Math.sin(k));
    const { advantages } = chainedCredit([4, 1, 0, 8], values, { reward: 0.7 }, ONE);
    expectClose(advantages, values.map((value) => 0.7 - value));
  });

  it('one agent is single-agent GAE', () => {
    const credit = chainedCredit([3], [0.1, 0.2, 0.4], { reward: 1 }, discounts(0.9, 0.1, 0.8));
    const [d0, d1, d2] = [0.9 * 0.2 - 0.1, 0.9 * 0.4 - 0.2, 1 - 0.4];
    expectClose(credit.deltas, [d0, d1, d2]);
    expectClose(credit.advantages, [d0 + 0.72 * (d1 + 0.72 * d2), d1 + 0.72 * d2, d2]);
  });

  it('merging two agents into one utterance changes nothing when both edges discount alike', () => {
    const apart = chainedCredit(LENGTHS, VALUES, { reward: 1 }, discounts(0.97, 0.97));
    const merged = chainedCredit([5], VALUES, { reward: 1 }, discounts(0.97, 0.97));
    expect(apart).toEqual(merged);
  });

  it('returns are A + V', () => {
    const { advantages, returns } = chainedCredit(LENGTHS, VALUES, { reward: 1 }, discounts(1, 0.99));
    expectClose(returns, VALUES.map((value, k) => value + at(advantages, k)));
  });

  it('the reward lands on the last token of the answering agent', () => {
    expect([...chainedCredit(LENGTHS, VALUES, { reward: 0.5 }, ONE).rewards]).toEqual([0, 0, 0, 0, 0.5]);
  });

  it('an empty utterance is passed over by one edge between agents', () => {
    expect(chainEdges([2, 0, 1])).toEqual(['token', 'agent', 'end']);
    expect(chainedCredit([2, 0, 3], VALUES, { reward: 1 }, discounts(1, 0.9))).toEqual(chainedCredit([2, 3], VALUES, { reward: 1 }, discounts(1, 0.9)));
  });

  it('an empty last utterance leaves the end, and the reward, on the last token there is', () => {
    expect(chainEdges([2, 0])).toEqual(['token', 'end']);
    expect([...chainedCredit([2, 0], [0, 0], { reward: 1 }, ONE).rewards]).toEqual([0, 1]);
  });

  it('an episode without a token has no credit', () => {
    expect(chainedCredit([0, 0], [], { reward: 1 }, ONE).advantages).toHaveLength(0);
  });

  it('refuses values that do not belong to the tokens', () => {
    expect(() => gae([0, 0], [0], ['token', 'end'], ONE)).toThrow(RangeError);
  });
});

describe('credit of a batch', () => {
  const game = createGame(team());
  const values = [
    [Float32Array.of(0.4, 0.45), Float32Array.of(0.1)],
    [Float32Array.of(0.5, 0.55, 0.7), Float32Array.of(0.3, 0.2)],
  ];
  const episodes = [episode([2, 3]), episode([1, 2])];
  const poad = { gammaAgent: 0.99, lambdaToken: 0.95, lambdaAgent: 0.95 };

  it('hands over between agents within an episode and not into the next episode', () => {
    const credit = assignCredit(game, episodes, [1, 0], values, algorithm(poad));
    expectClose(at(at(credit.advantages, 0), 0), [0.506652, 0.480687]);
    expectClose(at(at(credit.advantages, 1), 0), [0.46325, 0.435, 0.3]);
    const alone = chainedCredit([1, 2], [0.1, 0.3, 0.2], { reward: 0 }, discounts(1, 0.99));
    expectClose(at(at(credit.advantages, 0), 1), [...alone.advantages].slice(0, 1));
    expectClose(at(at(credit.advantages, 1), 1), [...alone.advantages].slice(1));
  });

  it('independent PPO copies the team reward and bootstraps nothing from the next agent, so it counts once', () => {
    const credit = assignCredit(game, episodes, [1, 0], values, algorithm({ method: 'ippo', lambdaToken: 1, lambdaAgent: 1 }));
    expectClose(at(at(credit.advantages, 0), 0), [0.6, 0.55]);
    expectClose(at(at(credit.advantages, 1), 0), [0.5, 0.45, 0.3]);
    expect([...at(at(credit.rewards, 0), 0)]).toEqual([0, 1]);
    const otherValues = [at(values, 0), [new Float32Array(3).fill(9), new Float32Array(2).fill(9)]];
    const other = assignCredit(game, episodes, [1, 0], otherValues, algorithm({ method: 'ippo', lambdaToken: 1, lambdaAgent: 1 }));
    expect(other.advantages[0]).toEqual(credit.advantages[0]);
  });

  it('outcomes are the discounted reward to come and do not depend on the critic', () => {
    const { outcomes } = assignCredit(game, episodes, [1, 0.5], values, algorithm({ gammaAgent: 0.9, gammaToken: 0.5 }));
    expectClose(at(at(outcomes, 0), 0), [0.5 * 0.9 * 0.25, 0.9 * 0.25]);
    expectClose(at(at(outcomes, 1), 1), [0.25, 0.5]);
  });

  it('does not scramble agents whose generation order is not their index order', () => {
    const reversed = createGame(
      team([{ role: 'answers' }, { role: 'speaks' }], { dependency: [[false, false], [true, false]] }),
    );
    const played = { ...episode([3, 2]), utterances: [...episode([3, 2]).utterances].reverse() };
    const swapped = [[Float32Array.of(0.5, 0.55, 0.7)], [Float32Array.of(0.4, 0.45)]];
    const credit = assignCredit(reversed, [played], [1], swapped, algorithm(poad));
    expectClose(at(at(credit.advantages, 0), 0), [0.46325, 0.435, 0.3]);
    expectClose(at(at(credit.advantages, 1), 0), [0.506652, 0.480687]);
  });
});

describe('normalised advantages', () => {
  const advantages = [[Float32Array.of(1, 2), Float32Array.of(3)], [Float32Array.of(0, 0, 0), Float32Array.of(6)]];

  it('have mean 0 and deviation 1 over all agents’ tokens together', () => {
    const flat = normalizeAdvantages(advantages, 'joint').flat(2).flatMap((array) => [...array]);
    const deviation = Math.sqrt((1 + 4 + 9 + 36) / 7 - (12 / 7) ** 2);
    expectClose(flat, [1, 2, 3, 0, 0, 0, 6].map((value) => (value - 12 / 7) / deviation));
  });

  it('have them per agent when asked', () => {
    const [first = []] = normalizeAdvantages(advantages, 'per-agent');
    const deviation = Math.sqrt(2 / 3);
    expectClose([...first].flatMap((array) => [...array]), [-1 / deviation, 0, 1 / deviation]);
  });

  it('are left alone when asked', () => {
    expect(normalizeAdvantages(advantages, 'none')).toEqual(advantages);
  });

  it('a zero advantage is data, not padding: it moves the mean and is moved', () => {
    const [[zero] = []] = normalizeAdvantages([[Float32Array.of(0)], [Float32Array.of(2)]], 'joint');
    expectClose(zero ?? [], [-1]);
  });

  it('of a longer earlier batch do not pollute a shorter later one', () => {
    normalizeAdvantages([[new Float32Array(100).fill(1000)]], 'joint');
    const [[now] = []] = normalizeAdvantages([[Float32Array.of(0, 2)]], 'joint');
    expectClose(now ?? [], [-1, 1]);
  });

  it('stay finite when all are equal', () => {
    const [[equal] = []] = normalizeAdvantages([[Float32Array.of(0.3, 0.3)]], 'joint');
    expectClose(equal ?? [], [0, 0]);
  });
});
