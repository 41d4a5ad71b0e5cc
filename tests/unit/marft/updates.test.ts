import { describe, expect, it } from 'vitest';
import { at } from '../../../src/marft/arrays.ts';
import { Random } from '../../../src/random/random.ts';
import { updateCritic } from '../../../src/marft/update-critic.ts';
import { updatePolicy, type PolicyBatch } from '../../../src/marft/update-policy.ts';
import { algorithm, TableModel, TablePolicy } from './doubles.ts';

const STEP = { learningRate: 1, weightDecay: 0, maxGradNorm: 1 };
const UTTERANCES = [
  { prompt: Int32Array.of(1, 2), tokens: Int32Array.of(2, 0) },
  { prompt: Int32Array.of(1, 3), tokens: Int32Array.of(3) },
];

async function batchFor(policy: TablePolicy, temperature = 1): Promise<PolicyBatch> {
  const old = await policy.score(UTTERANCES, temperature);
  const advantages = [Float32Array.of(1, 1), Float32Array.of(-1)];
  return { utterances: UTTERANCES, temperature, old, ref: old.logprobs, advantages };
}

describe('an agent’s update', () => {
  it('makes good tokens likelier and bad ones less likely, with a ratio of exactly 1 at the first pass', async () => {
    const policy = new TablePolicy();
    const batch = await batchFor(policy);
    const update = await updatePolicy(policy, batch, algorithm({ epochs: 2 }), STEP);
    expect(update.objectives.map(({ shift }) => shift.ratioMax)[0]).toBe(1);
    expect(at(update.objectives, 0).shift.approxKl).toBe(0);
    const [good, bad] = update.newLogprobs ?? [];
    expect(at(good ?? [], 0)).toBeGreaterThan(at(at(batch.old.logprobs, 0), 0));
    expect(at(bad ?? [], 0)).toBeLessThan(at(at(batch.old.logprobs, 1), 0));
    expect(policy.steps).toBe(2);
  });

  it('needs no forward pass for its first epoch and one afterwards', async () => {
    const policy = new TablePolicy();
    const batch = await batchFor(policy);
    let scored = 0;
    const counting = {
      score: (...args: Parameters<TablePolicy['score']>) => (scored++, policy.score(...args)),
      open: policy.open.bind(policy),
      backward: policy.backward.bind(policy),
      step: policy.step.bind(policy),
      zeroGrad: policy.zeroGrad.bind(policy),
    };
    await updatePolicy(counting, batch, algorithm({ epochs: 1 }), STEP);
    expect(scored).toBe(1);
  });

  it('goes forward once an epoch: what a later epoch scored is what it goes back from', async () => {
    const policy = new TablePolicy();
    const batch = await batchFor(policy);
    let opened = 0;
    policy.open = (...args) => (opened++, TablePolicy.prototype.open.apply(policy, args));
    await updatePolicy(policy, batch, algorithm({ epochs: 3 }), STEP);
    expect(opened).toBe(2);
    expect(policy.openPasses).toBe(0);
  });

  it('keeps nothing open where a batch is taken in parts', async () => {
    const policy = new TablePolicy();
    policy.open = () => Promise.reject(new Error('opened'));
    const update = await updatePolicy(policy, await batchFor(policy), { ...algorithm({ epochs: 2 }), microBatch: 1 }, STEP);
    expect(update.objectives).toHaveLength(2);
  });

  it('scores at the temperature it sampled at', async () => {
    const policy = new TablePolicy();
    await updatePolicy(policy, await batchFor(policy), algorithm(), STEP);
    const update = await updatePolicy(policy, await batchFor(policy, 0.5), algorithm({ learningRate: 0 }), { ...STEP, learningRate: 0 });
    expect(update.newLogprobs).toEqual((await policy.score(UTTERANCES, 0.5)).logprobs);
  });

  it('stops once it has moved further than target_kl and reports the rest as skipped, not as zero', async () => {
    const policy = new TablePolicy();
    const update = await updatePolicy(policy, await batchFor(policy), algorithm({ epochs: 5, targetKl: 1e-6 }), STEP);
    expect(update.skipped).toBe(4);
    expect(policy.openPasses).toBe(0);
    expect(update.objectives).toHaveLength(1);
    expect(policy.steps).toBe(1);
  });

  it('is not stopped by numerical noise: the first pass is exactly on the old policy', async () => {
    const policy = new TablePolicy();
    const update = await updatePolicy(policy, await batchFor(policy), algorithm({ targetKl: 1e-12 }), STEP);
    expect(update.skipped).toBe(0);
  });

  it('drops a step with a loss that is not finite before anything is accumulated', async () => {
    const policy = new TablePolicy();
    const batch = { ...(await batchFor(policy)), advantages: [Float32Array.of(1, Number.NaN), Float32Array.of(0)] };
    const update = await updatePolicy(policy, batch, algorithm({ epochs: 3 }), STEP);
    expect(update).toEqual({ objectives: [], gradNorms: [], skipped: 0, dropped: 1, newLogprobs: null });
    expect(policy.steps).toBe(0);
    expect(policy.gradients.size).toBe(0);
  });

  it('drops a step with a gradient that is not finite and forgets the gradient', async () => {
    const policy = new TablePolicy();
    policy.poisoned = true;
    const update = await updatePolicy(policy, await batchFor(policy), algorithm({ epochs: 3 }), STEP);
    expect(update.dropped).toBe(1);
    expect(policy.gradients.size).toBe(0);
    expect(policy.rows.size).toBe(0);
  });
});

describe('the critic’s update', () => {
  const lesson = (context: number, value: number) => ({
    sequences: [{ ids: Int32Array.of(context), positions: Int32Array.of(0) }],
    returns: [Float32Array.of(value)],
  });
  const settings = { epochs: 40, clip: 0, loss: 'mse' } as const;
  const options = { ...STEP, learningRate: 0.2 };

  it('fits the returns of every iteration of the window, one step each per epoch', async () => {
    const critic = await new TableModel().createValueFunction();
    const window = [lesson(1, 0.25), lesson(2, 1)];
    const update = await updateCritic(critic, window, settings, options, new Random(1));
    expect(update.losses).toHaveLength(80);
    const values = await critic.values(window.flatMap(({ sequences }) => sequences));
    expect(at(at(values, 0), 0)).toBeCloseTo(0.25, 3);
    expect(at(at(values, 1), 0)).toBeCloseTo(1, 3);
  });

  it('moves no value much further than the clip range in one update', async () => {
    const critic = await new TableModel().createValueFunction();
    const window = [lesson(1, 1)];
    await updateCritic(critic, window, { ...settings, clip: 0.2 }, { ...options, learningRate: 0.05 }, new Random(1));
    const [[value] = []] = (await critic.values(at(window, 0).sequences)).map((array) => [...array]);
    expect(value).toBeGreaterThan(0.19);
    expect(value).toBeLessThan(0.25);
  });

  it('drops a step that is not finite', async () => {
    const critic = await new TableModel().createValueFunction();
    const update = await updateCritic(critic, [lesson(1, Number.NaN)], settings, options, new Random(1));
    expect(update).toEqual({ losses: [], gradNorms: [], dropped: 1 });
  });
});
