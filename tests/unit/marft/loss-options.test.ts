/** Options of the objective: averaging, the KL penalty in the reward, HAPPO's factor, joint steps, micro-batches. */
import { describe, expect, it } from 'vitest';
import { at } from '../../../src/marft/arrays.ts';
import { HappoFactor } from '../../../src/marft/happo.ts';
import { klPenalties } from '../../../src/marft/kl-reward.ts';
import { lossShape } from '../../../src/marft/loss-shape.ts';
import { chainedCredit } from '../../../src/marft/credit.ts';
import { objective } from '../../../src/marft/objective.ts';
import type { Episode } from '../../../src/marft/rollout.ts';
import { Learner, updatePolicy, updateTogether } from '../../../src/marft/update-policy.ts';
import { algorithm, TablePolicy } from './doubles.ts';

const speech = (lengths: number[]) => ({ lengths, actionSizes: null, kept: lengths.map(() => true) });
const SETTINGS = { clipLow: 0.2, clipHigh: 0.2, entropyCoef: 0, klLossCoef: 0 };

describe('the loss is averaged', () => {
  const own = speech([1, 3]);
  const team = [own, speech([4])];

  it('over the agent’s own tokens', () => {
    expect([...lossShape(own).tokenWeights]).toEqual([0.25, 0.25, 0.25, 0.25]);
  });

  it('over all agents’ tokens', () => {
    expect([...lossShape(own, 'all-tokens', team).tokenWeights]).toEqual([0.125, 0.125, 0.125, 0.125]);
  });

  it('per sequence first', () => {
    expect([...lossShape(own, 'per-sequence', team).tokenWeights]).toEqual([1 / 2, 1 / 6, 1 / 6, 1 / 6]);
  });

  it('over what is kept and spoken only, per sequence too', () => {
    const some = { lengths: [2, 0, 1], actionSizes: null, kept: [false, true, true] };
    expect([...lossShape(some, 'per-sequence').tokenWeights]).toEqual([0, 0, 1]);
  });
});

describe('the KL penalty in the reward', () => {
  const scores = {
    old: [{ logprobs: [Float32Array.of(-1, -2)], entropies: [new Float32Array(2)] }],
    ref: [[Float32Array.of(-1.5, -1)]],
  };

  it('is −β (log π − log π_base) at every token', () => {
    expect([...at(at(klPenalties(scores, { klRewardCoef: 0.1, level: 'token' }) ?? [], 0), 0)]).toEqual([expect.closeTo(-0.05, 6), expect.closeTo(0.1, 6)]);
  });

  it('is their sum for a whole utterance', () => {
    expect([...at(at(klPenalties(scores, { klRewardCoef: 0.1, level: 'action' }) ?? [], 0), 0)]).toEqual([expect.closeTo(0.05, 6)]);
  });

  it('does not exist at β = 0', () => {
    expect(klPenalties(scores, { klRewardCoef: 0, level: 'token' })).toBeNull();
  });

  it('flows back along the chain like any reward', () => {
    const ones = { gammaToken: 1, gammaAgent: 1, lambdaToken: 1, lambdaAgent: 1 };
    const { advantages } = chainedCredit([1, 2], [0, 0, 0], { reward: 1, penalties: [-0.1, -0.2, -0.3] }, ones);
    [0.4, 0.5, 0.7].forEach((expected, k) => expect(at(advantages, k)).toBeCloseTo(expected, 6));
  });
});

describe('HAPPO’s factor', () => {
  const utterance = (agent: number) => ({ agent, prompt: new Int32Array(1), tokens: new Int32Array(2), logprobs: new Float32Array(2), truncated: false });
  const episodes: Episode[] = [0, 1].map((k) => ({
    problem: { id: `${k}`, question: 'q', answer: 'a' },
    utterances: [utterance(0), utterance(1), utterance(2)],
  }));
  const before = [Float32Array.of(-1, -1), Float32Array.of(-1, -1)];
  const after = [Float32Array.of(-0.9, -0.95), Float32Array.of(-1.1, -1.05)];
  const factorOf = (happo: 'off' | 'sum' | 'length', updates: number, happoClip = 10): number[] => {
    const factor = new HappoFactor(episodes, { happo, happoClip });
    for (let agent = 0; agent < updates; agent++) factor.multiply(agent, before, after);
    return [...(factor.of(2) ?? [])];
  };

  it('is off by default', () => {
    expect(algorithm().happo).toBe('off');
    expect(factorOf('off', 2)).toEqual([]);
  });

  it('is 1 for whoever comes first, and after an agent that has not moved', () => {
    const factor = new HappoFactor(episodes, { happo: 'sum', happoClip: 1 });
    factor.multiply(0, before, null);
    expect([...(factor.of(1) ?? [])]).toEqual([1, 1]);
  });

  it('is the product of the predecessors’ sequence ratios, by episode', () => {
    expect(factorOf('sum', 1)).toEqual([expect.closeTo(Math.exp(0.15), 6), expect.closeTo(Math.exp(-0.15), 6)]);
    expect(factorOf('sum', 2)).toEqual([expect.closeTo(Math.exp(0.3), 6), expect.closeTo(Math.exp(-0.3), 6)]);
    expect(factorOf('length', 2)).toEqual([expect.closeTo(Math.exp(0.15), 6), expect.closeTo(Math.exp(-0.15), 6)]);
  });

  it('is clipped on either side', () => {
    expect(factorOf('sum', 2, 0.1)).toEqual([1.1, 0.9]);
  });

  it('multiplies the surrogate and neither the entropy nor the penalty', () => {
    const inputs = {
      newLogprobs: Float32Array.of(-1, -1),
      oldLogprobs: Float32Array.of(-1, -1),
      refLogprobs: Float32Array.of(-1.5, -1.5),
      advantages: Float32Array.of(1, 1),
      entropies: Float32Array.of(0.5, 0.5),
    };
    const plain = objective(inputs, SETTINGS, lossShape(speech([1, 1])));
    const weighed = objective(inputs, SETTINGS, lossShape(speech([1, 1]), 'own-tokens', [], [2, 0.5]));
    expect(weighed.policyLoss).toBeCloseTo(-1.25, 6);
    expect([weighed.entropy, weighed.refKl]).toEqual([plain.entropy, plain.refKl]);
  });
});

const UTTERANCES = [
  { prompt: Int32Array.of(1, 2), tokens: Int32Array.of(2, 0) },
  { prompt: Int32Array.of(1, 3), tokens: Int32Array.of(3) },
  { prompt: Int32Array.of(1, 4), tokens: Int32Array.of(4, 3) },
];
const STEP = { learningRate: 1, weightDecay: 0, maxGradNorm: 1 };

async function batchFor(policy: TablePolicy) {
  const old = await policy.score(UTTERANCES, 1);
  return { utterances: UTTERANCES, temperature: 1, old, ref: old.logprobs, advantages: [Float32Array.of(1, 1), Float32Array.of(-1), Float32Array.of(0.5, 0)] };
}

describe('a micro-batch', () => {
  it.each([1, 2, 3, 8])('of %i utterances changes nothing but memory', async (microBatch) => {
    const [whole, parts] = [new TablePolicy(), new TablePolicy()];
    await updatePolicy(whole, await batchFor(whole), algorithm({ epochs: 3, entropyCoef: 0.1 }), STEP);
    await updatePolicy(parts, await batchFor(parts), algorithm({ epochs: 3, entropyCoef: 0.1, microBatch }), STEP);
    expect(parts.steps).toBe(3);
    for (const [context, row] of whole.rows) row.forEach((value, k) => expect(at(parts.row(context), k)).toBeCloseTo(value, 9));
  });
});

describe('agents that learn in step', () => {
  it('learn what they would learn alone, since each has its own adapter', async () => {
    const policies = [new TablePolicy(), new TablePolicy(2), new TablePolicy()];
    const settings = algorithm({ epochs: 2 });
    const learners: Learner[] = [];
    for (const policy of policies.slice(0, 2)) learners.push(new Learner(policy, await batchFor(policy), settings));
    await updateTogether(learners, settings, STEP);
    await updatePolicy(at(policies, 2), await batchFor(at(policies, 2)), settings, STEP);
    expect(at(policies, 0).rows).toEqual(at(policies, 2).rows);
  });

  it('stop together once their mean KL is beyond the target', async () => {
    const policies = [new TablePolicy(), new TablePolicy(0)];
    const settings = algorithm({ epochs: 4, targetKl: 1e-9 });
    const learners: Learner[] = [];
    for (const policy of policies) learners.push(new Learner(policy, await batchFor(policy), settings));
    await updateTogether(learners, settings, STEP);
    expect(learners.map(({ update }) => [update.objectives.length, update.skipped])).toEqual([[1, 3], [1, 3]]);
  });

  it('take no step at all when one of their losses is not finite', async () => {
    const policies = [new TablePolicy(), new TablePolicy()];
    const good = await batchFor(at(policies, 0));
    const bad = { ...good, advantages: [Float32Array.of(Number.NaN, 0), Float32Array.of(0), Float32Array.of(0, 0)] };
    const learners = [new Learner(at(policies, 0), good, algorithm()), new Learner(at(policies, 1), bad, algorithm())];
    await updateTogether(learners, algorithm(), STEP);
    expect(policies.map(({ steps }) => steps)).toEqual([0, 0]);
    expect(learners.map(({ update }) => update.dropped)).toEqual([1, 1]);
  });
});
