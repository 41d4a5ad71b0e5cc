/** Adapters in the files of Hugging Face PEFT: ours read by PEFT, PEFT's read by us, and what is no adapter for a model. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mergeAdapter } from '../../src/checkpoint/merge-adapter.ts';
import { ADAPTER_CONFIG, ADAPTER_WEIGHTS, adapterFiles, readAdapter } from '../../src/checkpoint/peft.ts';
import { writeSafetensors } from '../../src/checkpoint/safetensors.ts';
import { loadLanguageModel, type QwenModel } from '../../src/engine/model.ts';
import type { TensorMap } from '../../src/engine/types.ts';
import type { LoraSettings } from '../../src/marft/settings.ts';
import { createNodeBackend } from '../../src/runtime/node.ts';
import { expectClose, fixtureAdapter, fixtureFile, fixtureJson, fixtureRepository, flat, sequences, type Manifest } from './fixtures.ts';

const BASE = 'qwen2-tied';
const manifest = fixtureJson<Manifest>(`${BASE}/manifest.json`);
const batch = sequences(manifest.sequences);
const backend = createNodeBackend();
const models = new Map<string, QwenModel>();

const model = (name: string): QwenModel => {
  const loaded = models.get(name);
  if (!loaded) throw new Error(`${name} is not loaded`);
  return loaded;
};

beforeAll(async () => {
  for (const name of [BASE, 'qwen2-untied', 'qwen3-tied']) models.set(name, await loadLanguageModel(backend, await fixtureRepository(name)));
});

afterAll(() => {
  for (const loaded of models.values()) loaded.dispose();
});

const text = (files: Map<string, Uint8Array>, file: string): string => new TextDecoder().decode(files.get(file));

describe('an adapter written here', () => {
  const ours = fixtureAdapter('adapter-by-us');

  it('gives the scores that PEFT gives with the same files', async () => {
    const policy = await model(BASE).createPolicy(ours.lora, 1);
    await policy.restore(ours.parameters);
    const expected = fixtureJson<{ logprobs: number[]; entropies: number[] }>('adapter-by-us.json');
    const scores = await policy.score(batch, manifest.lossTemperature);
    expectClose(flat(scores.logprobs), expected.logprobs, 'log-probs');
    expectClose(flat(scores.entropies), expected.entropies, 'entropies');
    policy.dispose();
  });

  it('is written again from the policy as the same bytes', async () => {
    const policy = await model(BASE).createPolicy(ours.lora, 1);
    await policy.restore(ours.parameters);
    const files = adapterFiles(await policy.parameters(), ours.lora, BASE);
    for (const [file, bytes] of files) expect(bytes, file).toEqual(fixtureFile(`adapter-by-us/${file}`));
    policy.dispose();
  });
});

it('writes PEFT\'s weights as the same bytes that PEFT wrote', () => {
  for (const name of [BASE, 'qwen2-untied', 'qwen3-tied']) {
    const { lora, parameters } = fixtureAdapter(`${name}/adapter-all`);
    const files = adapterFiles(parameters, lora, name);
    expect(files.get(ADAPTER_WEIGHTS)).toEqual(fixtureFile(`${name}/adapter-all/${ADAPTER_WEIGHTS}`));
    expect(readAdapter(text(files, ADAPTER_CONFIG), files.get(ADAPTER_WEIGHTS) ?? new Uint8Array(0))).toEqual({ lora, parameters, base: name });
  }
});

describe('PEFT\'s adapter with rank-stabilised scaling', () => {
  const { lora, parameters } = fixtureAdapter(`${BASE}/adapter-rslora`);
  const expected = fixtureJson<{ logprobs: number[]; entropies: number[] }>(`${BASE}/adapter-rslora.json`);

  it('gives the same scores beside the base, and folded into it', async () => {
    expect(lora).toMatchObject({ rslora: true, targets: ['k_proj', 'down_proj'] });
    const policy = await model(BASE).createPolicy(lora, 1);
    await policy.restore(parameters);
    const repository = await fixtureRepository(BASE);
    const tensors: TensorMap = new Map();
    for (const name of repository.tensorNames) tensors.set(name, await repository.readTensor(name));
    const merged = mergeAdapter(tensors, parameters, lora);
    const readTensor: typeof repository.readTensor = (name) => {
      const tensor = merged.get(name);
      return tensor ? Promise.resolve(tensor) : repository.readTensor(name);
    };
    const folded = await loadLanguageModel(backend, { ...repository, readTensor });
    for (const one of [policy, folded.base]) {
      const scores = await one.score(batch, manifest.lossTemperature);
      expectClose(flat(scores.logprobs), expected.logprobs, 'log-probs');
      expectClose(flat(scores.entropies), expected.entropies, 'entropies');
    }
    policy.dispose();
    folded.dispose();
  });

  it('is written again as the same weights and the same settings', () => {
    const files = adapterFiles(parameters, lora, BASE);
    expect(files.get(ADAPTER_WEIGHTS)).toEqual(fixtureFile(`${BASE}/adapter-rslora/${ADAPTER_WEIGHTS}`));
    expect(readAdapter(text(files, ADAPTER_CONFIG), files.get(ADAPTER_WEIGHTS) ?? new Uint8Array(0)).lora).toEqual(lora);
  });
});

describe('PEFT\'s adapter is refused', () => {
  const { lora, parameters } = fixtureAdapter(`${BASE}/adapter-all`);

  it.each(['qwen2-untied', 'qwen3-tied'])('by %s, which is another base', async (other) => {
    const policy = await model(other).createPolicy(lora, 1);
    await expect(policy.restore(parameters)).rejects.toMatchObject({ code: 'state-mismatch' });
    policy.dispose();
  });

  it.each<[string, Partial<LoraSettings>]>([
    ['another rank', { rank: 8 }],
    ['fewer targets', { targets: ['q_proj', 'v_proj'] }],
  ])('by a policy of %s', async (_, change) => {
    const policy = await model(BASE).createPolicy({ ...lora, ...change }, 1);
    await expect(policy.restore(parameters)).rejects.toMatchObject({ code: 'state-mismatch' });
    policy.dispose();
  });

  it('by a policy of more targets than it has', async () => {
    const few = fixtureAdapter(`${BASE}/adapter-qv`);
    const policy = await model(BASE).createPolicy(lora, 1);
    await expect(policy.restore(few.parameters)).rejects.toMatchObject({ code: 'state-mismatch' });
    policy.dispose();
  });

  it('by a model of fewer layers, and leaves the policy as it was', async () => {
    const policy = await model(BASE).createPolicy(lora, 1);
    const before = await policy.parameters();
    const third = [...parameters].filter(([name]) => name.includes('.layers.1.')).map(([name, tensor]) => [name.replace('.layers.1.', '.layers.2.'), tensor] as const);
    await expect(policy.restore(new Map([...parameters, ...third]))).rejects.toMatchObject({ code: 'state-mismatch' });
    expect(await policy.parameters()).toEqual(before);
    policy.dispose();
  });

  const config = new TextDecoder().decode(fixtureFile(`${BASE}/adapter-all/${ADAPTER_CONFIG}`));
  const weights = fixtureFile(`${BASE}/adapter-all/${ADAPTER_WEIGHTS}`);
  const changed = (options: Record<string, unknown>): string => JSON.stringify({ ...(JSON.parse(config) as object), ...options });
  const withTensors = (change: (tensors: TensorMap) => void): Uint8Array => {
    const tensors: TensorMap = new Map(parameters);
    change(tensors);
    return writeSafetensors(tensors);
  };
  const A = 'base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight';

  it.each<[string, string, Uint8Array]>([
    ['a rank that its tensors do not have', changed({ r: 8 }), weights],
    ['a projection that it does not name', changed({ target_modules: ['q_proj'] }), weights],
    ['a missing matrix', config, withTensors((tensors) => tensors.delete(A))],
    ['a matrix of another shape', config, withTensors((tensors) => tensors.set(A, { dims: [4, 8], data: new Float32Array(32) }))],
    ['a tensor that is no matrix of an adapter', config, withTensors((tensors) => tensors.set('lm_head.weight', { dims: [1], data: new Float32Array(1) }))],
    ['a value that is not a number', config, withTensors((tensors) => tensors.set(A, { dims: [4, 32], data: new Float32Array(128).fill(Number.NaN) }))],
  ])('for %s', (_, configText, bytes) => {
    expect(() => readAdapter(configText, bytes)).toThrow(expect.objectContaining({ code: 'adapter-mismatch' }));
  });

  it.each<[string, Record<string, unknown>]>([
    ['DoRA', { use_dora: true }],
    ['biases of the adapter', { lora_bias: true }],
    ['repeated layers', { layer_replication: [[0, 2], [1, 2]] }],
  ])('for %s', (_, options) => {
    expect(() => readAdapter(changed(options), weights)).toThrow(expect.objectContaining({ code: 'adapter-unsupported' }));
  });
});
