/** What a step may touch: its own adapter and nothing else, bit for bit. */
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS, type Limits } from '../../../src/engine/limits.ts';
import type { LoadOptions } from '../../../src/engine/load-base.ts';
import { loadLanguageModel, type QwenModel } from '../../../src/engine/model.ts';
import type { TensorMap, ValuedSequence } from '../../../src/engine/types.ts';
import { Random } from '../../../src/random/random.ts';
import { loraSchema } from '../../../src/marft/settings.ts';
import { sizeOf } from '../../../src/onnx/graph.ts';
import { parseQwenConfig } from '../../../src/qwen/config.ts';
import { modelShapes } from '../../../src/qwen/parameters.ts';
import { createNodeBackend } from '../../../src/runtime/node.ts';
import type { Backend } from '../../../src/runtime/backend.ts';

const CONFIG = {
  model_type: 'qwen2',
  hidden_size: 32,
  num_hidden_layers: 2,
  num_attention_heads: 2,
  num_key_value_heads: 1,
  intermediate_size: 48,
  vocab_size: 64,
  tie_word_embeddings: true,
  max_position_embeddings: 128,
};

function randomModel(backend: Backend, options?: LoadOptions): Promise<QwenModel> {
  const shapes = modelShapes(parseQwenConfig(CONFIG));
  return loadLanguageModel(backend, {
    config: CONFIG,
    readTensor: (name) => {
      const dims = shapes[name] ?? [];
      const random = new Random(Object.keys(shapes).indexOf(name));
      const value = () => (name.endsWith('norm.weight') ? 1 : 0) + 0.2 * random.normal();
      return Promise.resolve({ dims, data: Float32Array.from({ length: sizeOf(dims) }, value) });
    },
  }, options);
}

const random = new Random(5);
const batch = [7, 12, 9].map((length) => ({
  prompt: Int32Array.from({ length }, () => random.int(0, 63)),
  tokens: Int32Array.from({ length: 4 }, () => random.int(0, 63)),
}));
const valued: ValuedSequence[] = batch.map(({ prompt, tokens }) => ({
  ids: Int32Array.from([...prompt, ...tokens]),
  positions: Int32Array.from(tokens, (_, t) => prompt.length + t - 1),
}));
const STEP = { learningRate: 0.05, weightDecay: 0.01, maxGradNorm: 1 };
const cotangents = { logprobs: batch.map(() => Float32Array.of(1, -1, 0.5, 2)), entropies: batch.map(() => new Float32Array(4)) };

async function bytes(map: Promise<TensorMap>): Promise<string> {
  return JSON.stringify([...(await map)].map(([name, { data }]) => [name, Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64')]));
}

async function world() {
  const model = await randomModel(createNodeBackend());
  const adapter = loraSchema.parse({ rank: 4, alpha: 8 });
  const first = await model.createPolicy(adapter, 1);
  const second = await model.createPolicy(adapter, 2);
  const critic = await model.createValueFunction(adapter, 3);
  // B starts at zero; a step makes every adapter differ from the base.
  for (const policy of [first, second]) {
    await policy.backward(batch, 1, cotangents);
    await policy.step(STEP);
  }
  await critic.values(valued);
  return { model, first, second, critic };
}

describe('one update', () => {
  it('leaves the other adapter, the base and the critic bit-for-bit unchanged', async () => {
    const { model, first, second, critic } = await world();
    const before = [await bytes(second.state()), await bytes(critic.state()), JSON.stringify(await model.base.score(batch, 1))];
    const own = await bytes(first.parameters());
    await first.backward(batch, 1, cotangents);
    expect((await first.step(STEP)).applied).toBe(true);
    expect(await bytes(first.parameters())).not.toBe(own);
    const after = [await bytes(second.state()), await bytes(critic.state()), JSON.stringify(await model.base.score(batch, 1))];
    expect(after).toEqual(before);
  });

  it('of the critic moves no policy', async () => {
    const { first, second, critic } = await world();
    const before = [await bytes(first.state()), await bytes(second.state())];
    const own = await bytes(critic.parameters());
    await critic.backward(valued, valued.map(() => Float32Array.of(1, -1, 1, 1)));
    await critic.step(STEP);
    expect(await bytes(critic.parameters())).not.toBe(own);
    expect([await bytes(first.state()), await bytes(second.state())]).toEqual(before);
  });

  it('drops a gradient that is not finite and keeps the weights', async () => {
    const { first } = await world();
    const before = await bytes(first.state());
    await first.backward(batch, 1, { ...cotangents, logprobs: batch.map(() => Float32Array.of(Number.NaN, 0, 0, 0)) });
    expect(await first.step(STEP)).toMatchObject({ applied: false });
    expect(await bytes(first.state())).toBe(before);
  });

  it('is undone by restoring the state before it', async () => {
    const { first } = await world();
    const state = await first.state();
    const before = JSON.stringify(await first.score(batch, 1));
    await first.backward(batch, 1, cotangents);
    await first.step(STEP);
    expect(JSON.stringify(await first.score(batch, 1))).not.toBe(before);
    await first.restore(state);
    expect(JSON.stringify(await first.score(batch, 1))).toBe(before);
  });
});

describe('scores', () => {
  it('do not depend on the other rows of a batch, nor on their padding', async () => {
    const { first } = await world();
    const together = await first.score(batch, 0.7);
    for (const [i, sequence] of batch.entries()) {
      const alone = await first.score([sequence], 0.7);
      alone.logprobs[0]?.forEach((value, t) => expect(value).toBeCloseTo(together.logprobs[i]?.[t] ?? Number.NaN, 4));
    }
  });

  it('of a fresh adapter are those of the base', async () => {
    const model = await randomModel(createNodeBackend());
    const policy = await model.createPolicy(loraSchema.parse({}), 9);
    expect(await policy.score(batch, 1)).toEqual(await model.base.score(batch, 1));
  });

  it('agree with what decoding computed, at the sampling temperature', async () => {
    const { first } = await world();
    const prompts = batch.map(({ prompt }) => prompt);
    const draw = (row: number, position: number) => new Random(row, position).next();
    const generations = await first.generate(prompts, { maxNewTokens: 8, temperature: 0.7, greedy: false, uniform: draw, stopIds: [3], bannedIds: [] });
    const scores = await first.score(generations.map(({ tokens }, i) => ({ prompt: prompts[i] ?? tokens, tokens })), 0.7);
    generations.forEach(({ logprobs }, i) =>
      logprobs.forEach((value, t) => expect(value).toBeCloseTo(scores.logprobs[i]?.[t] ?? Number.NaN, 4)),
    );
  });
});

describe('a batch that goes through in parts, or whose blocks keep what they multiply', () => {
  it.each<[string, Limits]>([
    ['in parts that keep nothing', { tokensAtOnce: 16, headBytes: 1 }],
    ['in parts that keep', { tokensAtOnce: 16, headBytes: 1, keepProducts: true }],
    ['whole, keeping nothing', { ...DEFAULT_LIMITS, keepProducts: false }],
  ])('gives the same gradient and scores to 1e-4: %s', async (_, limits) => {
    const results = [];
    for (const options of [{}, { limits }]) {
      const model = await randomModel(createNodeBackend(), options);
      const policy = await model.createPolicy(loraSchema.parse({ rank: 4 }), 1);
      // B starts at zero; a step lets A have a gradient.
      await policy.backward(batch, 1, cotangents);
      await policy.step(STEP);
      const scores = await policy.score(batch, 1);
      await policy.backward(batch, 1, cotangents);
      results.push([...(await policy.gradients())].map(([name, { data }]) => [name, data] as const).concat(scores.logprobs.map((row, i) => [`row ${i}`, row] as const)));
    }
    const [whole = [], parts = []] = results;
    expect(parts.map(([name]) => name)).toEqual(whole.map(([name]) => name));
    whole.forEach(([name, numbers], i) => {
      const largest = numbers.reduce((most, number) => Math.max(most, Math.abs(number)), 1e-6);
      expect(largest, name).toBeGreaterThan(1e-6);
      numbers.forEach((number, k) => expect(Math.abs(number - (parts[i]?.[1][k] ?? Number.NaN)) / largest, name).toBeLessThan(1e-4));
    });
  });
});

describe('device memory', () => {
  it('returns to where it was after each round of generating, scoring and learning', async () => {
    const backend = createNodeBackend();
    const model = await randomModel(backend);
    const policy = await model.createPolicy(loraSchema.parse({ rank: 4 }), 1);
    const critic = await model.createValueFunction(loraSchema.parse({ rank: 4 }), 2);
    const round = async () => {
      await policy.generate(batch.map(({ prompt }) => prompt), { maxNewTokens: 5, temperature: 1, greedy: true, uniform: () => 0, stopIds: [3], bannedIds: [] });
      await policy.score(batch, 1);
      await policy.backward(batch, 1, cotangents);
      await policy.step(STEP);
      await critic.values(valued);
      await critic.backward(valued, valued.map(() => Float32Array.of(1, -1, 1, 1)));
      await critic.step(STEP);
      return [backend.liveTensors(), backend.liveBytes()];
    };
    const first = await round();
    for (let i = 0; i < 5; i++) expect(await round()).toEqual(first);
    policy.dispose();
    critic.dispose();
    model.dispose();
    expect(backend.liveTensors()).toBe(0);
  });
});
