import { describe, expect, it } from 'vitest';
import { ADAPTER_CONFIG, ADAPTER_WEIGHTS, adapterFiles, readAdapter } from '../../../src/checkpoint/peft.ts';
import { writeSafetensors } from '../../../src/checkpoint/safetensors.ts';
import type { TensorMap } from '../../../src/engine/types.ts';
import type { LoraSettings } from '../../../src/marft/settings.ts';
import { refusal } from './files.ts';

const lora: LoraSettings = { rank: 2, alpha: 4, targets: ['q_proj', 'down_proj'], rslora: false };
const named = (layer: number, path: string, which: 'A' | 'B') => `base_model.model.model.layers.${layer}.${path}.lora_${which}.weight`;

function adapter(layers = 2): TensorMap {
  const parameters: TensorMap = new Map();
  for (let layer = 0; layer < layers; layer++) {
    for (const [path, input, out] of [['self_attn.q_proj', 3, 4], ['mlp.down_proj', 5, 3]] as const) {
      parameters.set(named(layer, path, 'A'), { dims: [2, input], data: new Float32Array(2 * input).fill(layer + 0.5) });
      parameters.set(named(layer, path, 'B'), { dims: [out, 2], data: new Float32Array(2 * out).fill(-layer) });
    }
  }
  return parameters;
}

const files = (() => {
  const written = adapterFiles(adapter(), lora, 'base');
  const get = (name: string) => written.get(name) ?? new Uint8Array(0);
  return { config: new TextDecoder().decode(get(ADAPTER_CONFIG)), weights: get(ADAPTER_WEIGHTS) };
})();

/** The written configuration with other settings. */
const withSettings = (settings: object) => JSON.stringify({ ...(JSON.parse(files.config) as object), ...settings });
const withParameters = (change: (parameters: TensorMap) => void) => {
  const parameters = adapter();
  change(parameters);
  return writeSafetensors(parameters);
};

describe('an adapter', () => {
  it('that was written here reads back the same', () => {
    const back = readAdapter(files.config, files.weights);
    expect(back.lora).toEqual(lora);
    expect(new Map([...back.parameters].sort())).toEqual(new Map([...adapter()].sort()));
  });

  it('says what PEFT needs to know', () => {
    expect(JSON.parse(files.config)).toMatchObject({
      peft_type: 'LORA',
      task_type: 'CAUSAL_LM',
      base_model_name_or_path: 'base',
      r: 2,
      lora_alpha: 4,
      target_modules: ['q_proj', 'down_proj'],
      bias: 'none',
    });
  });

  it('may name its targets in any order and carry settings that are off or only tell how it was made', () => {
    const settings = { target_modules: ['down_proj', 'q_proj'], rank_pattern: {}, layers_pattern: null, lora_bias: false, peft_version: '0.21.2', eva_config: { rho: 2 } };
    expect(readAdapter(withSettings(settings), files.weights).lora).toEqual(lora);
  });

  it('with rank-stabilised scaling says so, and reads back with it', () => {
    const written = adapterFiles(adapter(), { ...lora, rslora: true }, 'base').get(ADAPTER_CONFIG);
    const text = new TextDecoder().decode(written);
    expect(JSON.parse(text)).toMatchObject({ r: 2, lora_alpha: 4, use_rslora: true });
    expect(readAdapter(text, files.weights).lora).toEqual({ ...lora, rslora: true });
  });

  it.each([
    ['another method', { peft_type: 'IA3' }],
    ['DoRA', { use_dora: true }],
    ['ranks by layer', { rank_pattern: { q_proj: 3 } }],
    ['scales by layer', { alpha_pattern: { q_proj: 3 } }],
    ['some layers only', { layers_to_transform: [0] }],
    ['other trained modules', { modules_to_save: ['lm_head'] }],
    ['trained biases', { bias: 'all' }],
    ['transposed weights', { fan_in_fan_out: true }],
    ['an initialisation that changes the base', { init_lora_weights: 'pissa' }],
    ['an option of a later version', { some_new_option: 1 }],
    ['unknown targets', { target_modules: ['c_attn'] }],
    ['targets by pattern', { target_modules: 'all-linear' }],
    ['no targets', { target_modules: [] }],
    ['rank 0', { r: 0 }],
    ['a rank beyond the limit', { r: 257 }],
    ['no scale', { lora_alpha: 0 }],
  ])('is refused when it asks for %s', async (_, settings) => {
    expect(await refusal(() => readAdapter(withSettings(settings), files.weights))).toBe('adapter-unsupported');
  });

  it('is refused when its configuration is not JSON', async () => {
    expect(await refusal(() => readAdapter('{', files.weights))).toBe('adapter-unsupported');
    expect(await refusal(() => readAdapter('null', files.weights))).toBe('adapter-unsupported');
  });

  it.each<[string, Uint8Array, string]>([
    ['another rank', withParameters((p) => p.set(named(0, 'self_attn.q_proj', 'A'), { dims: [3, 3], data: new Float32Array(9) })), files.config],
    ['a vector for a matrix', withParameters((p) => p.set(named(0, 'self_attn.q_proj', 'A'), { dims: [2], data: new Float32Array(2) })), files.config],
    ['layers of different sizes', withParameters((p) => p.set(named(1, 'self_attn.q_proj', 'A'), { dims: [2, 7], data: new Float32Array(14) })), files.config],
    ['an A without its B', withParameters((p) => p.delete(named(1, 'mlp.down_proj', 'B'))), files.config],
    ['a missing layer', withParameters((p) => [...p.keys()].filter((name) => name.includes('layers.0.')).forEach((name) => p.delete(name))), files.config],
    ['a tensor that is no LoRA matrix', withParameters((p) => p.set('base_model.model.lm_head.weight', { dims: [1], data: new Float32Array(1) })), files.config],
    ['a target its configuration lacks', files.weights, withSettings({ target_modules: ['q_proj'] })],
    ['no matrices of a target its configuration names', files.weights, withSettings({ target_modules: ['q_proj', 'down_proj', 'v_proj'] })],
    ['nothing', writeSafetensors(new Map()), files.config],
  ])('is refused when it holds %s', async (_, weights, config) => {
    expect(await refusal(() => readAdapter(config, weights))).toBe('adapter-mismatch');
  });

  it('is refused when its weights are cut off', async () => {
    expect(await refusal(() => readAdapter(files.config, files.weights.subarray(0, -3)))).toBe('checkpoint-broken');
  });
});
