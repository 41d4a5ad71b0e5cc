/** Models that are not what their files say, or not what can be computed: refused, and nothing is left on the device. */
import { afterEach, expect, it } from 'vitest';
import type { ModelFiles } from '../../src/engine/load-base.ts';
import { loadLanguageModel } from '../../src/engine/model.ts';
import { createNodeBackend } from '../../src/runtime/node.ts';
import { fixtureRepository } from './fixtures.ts';

const backend = createNodeBackend();

afterEach(() => {
  expect(backend.liveTensors()).toBe(0);
});

const changed = async (model: string, options: Record<string, unknown>): Promise<ModelFiles> => {
  const repository = await fixtureRepository(model);
  return { ...repository, config: { ...(repository.config as object), ...options } };
};

it.each<[string, string, Record<string, unknown>]>([
  ['a wider hidden state', 'qwen2-tied', { hidden_size: 64 }],
  ['more layers', 'qwen2-tied', { num_hidden_layers: 3 }],
  ['an output matrix of its own', 'qwen2-tied', { tie_word_embeddings: false }],
  ['other norms', 'qwen2-tied', { model_type: 'qwen3' }],
  ['more key/value heads', 'qwen3-tied', { num_key_value_heads: 4 }],
])('refuses weights whose configuration asks for %s', async (_, model, options) => {
  await expect(loadLanguageModel(backend, await changed(model, options))).rejects.toMatchObject({ code: 'checkpoint-mismatch' });
});

it.each<[string, string, Record<string, unknown>]>([
  ['another architecture', 'qwen2-tied', { model_type: 'llama' }],
  ['sliding windows', 'qwen2-tied', { use_sliding_window: true }],
  ['scaled positions', 'qwen2-tied', { rope_parameters: { rope_type: 'yarn', rope_theta: 1e6 } }],
  ['scaled positions as older files say it', 'qwen2-tied', { rope_scaling: { type: 'linear', factor: 2 } }],
  ['another activation', 'qwen2-tied', { hidden_act: 'gelu' }],
  ['biases where Qwen3 has none', 'qwen3-tied', { attention_bias: true }],
])('refuses %s', async (_, model, options) => {
  await expect(loadLanguageModel(backend, await changed(model, options))).rejects.toMatchObject({ code: 'model-unsupported' });
});

it('refuses half precision for weights beyond its range, and names the tensor', async () => {
  const repository = await fixtureRepository('qwen2-tied');
  const name = 'model.layers.1.mlp.up_proj.weight';
  const readTensor = async (one: string) => {
    const tensor = await repository.readTensor(one);
    return one === name ? { ...tensor, data: tensor.data.map((weight, i) => (i === 5 ? 7e4 : weight)) } : tensor;
  };
  await expect(loadLanguageModel(backend, { ...repository, readTensor }, { precision: 'f16' })).rejects.toMatchObject({
    code: 'precision-range',
    message: expect.stringContaining(name) as string,
  });
});
