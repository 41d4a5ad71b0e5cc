import { describe, expect, it } from 'vitest';
import { parseQwenConfig } from '../../../src/qwen/config.ts';

/** What Qwen/Qwen2.5-0.5B-Instruct and Qwen/Qwen3-0.6B have in their config.json. */
const QWEN25 = {
  architectures: ['Qwen2ForCausalLM'], attention_dropout: 0.0, bos_token_id: 151643, eos_token_id: 151645, hidden_act: 'silu', hidden_size: 896,
  initializer_range: 0.02, intermediate_size: 4864, max_position_embeddings: 32768, max_window_layers: 21, model_type: 'qwen2', num_attention_heads: 14,
  num_hidden_layers: 24, num_key_value_heads: 2, rms_norm_eps: 1e-6, rope_theta: 1000000.0, sliding_window: 32768, tie_word_embeddings: true,
  torch_dtype: 'bfloat16', use_cache: true, use_sliding_window: false, vocab_size: 151936,
};
const QWEN3 = {
  architectures: ['Qwen3ForCausalLM'], attention_bias: false, head_dim: 128, hidden_act: 'silu', hidden_size: 1024, intermediate_size: 3072,
  max_position_embeddings: 40960, max_window_layers: 28, model_type: 'qwen3', num_attention_heads: 16, num_hidden_layers: 28, num_key_value_heads: 8,
  rms_norm_eps: 1e-6, rope_scaling: null, rope_theta: 1000000, sliding_window: null, tie_word_embeddings: true, use_sliding_window: false, vocab_size: 151936,
};

describe('a configuration', () => {
  it('of Qwen2.5 and of Qwen3 is read, with a window that is not used', () => {
    expect(parseQwenConfig(QWEN25)).toMatchObject({ heads: 14, kvHeads: 2, headDim: 64, ropeTheta: 1e6, tieWordEmbeddings: true });
    expect(parseQwenConfig(QWEN3)).toMatchObject({ modelType: 'qwen3', heads: 16, kvHeads: 8, headDim: 128 });
    const newer = { ...QWEN25, rope_theta: undefined, rope_parameters: { rope_theta: 5e5, rope_type: 'default' }, layer_types: ['full_attention', 'full_attention'] };
    expect(parseQwenConfig(newer).ropeTheta).toBe(5e5);
    expect(parseQwenConfig({ ...QWEN25, num_key_value_heads: undefined, tie_word_embeddings: undefined })).toMatchObject({ kvHeads: 14, tieWordEmbeddings: false });
  });

  it.each<[object, string]>([
    [{ model_type: 'qwen2_moe' }, 'The architecture "qwen2_moe" is not supported.'],
    [{ model_type: 'qwen3_moe' }, 'The architecture "qwen3_moe" is not supported.'],
    [{ model_type: 'qwen2_5_vl' }, 'The architecture "qwen2_5_vl" is not supported.'],
    [{ architectures: ['Qwen2ForRewardModel'] }, 'A Qwen2ForRewardModel does not continue texts.'],
    [{ use_sliding_window: true }, 'Sliding-window attention is not supported.'],
    [{ layer_types: ['full_attention', 'sliding_attention'] }, 'Only layers that attend to all that came before are supported.'],
    [{ dual_chunk_attention_config: { chunk_size: 262144 } }, 'Only layers that attend to all that came before are supported.'],
    [{ rope_scaling: { type: 'yarn', factor: 4 } }, 'Scaled rotary positions are not supported.'],
    [{ rope_parameters: { rope_theta: 1e6, rope_type: 'yarn' } }, 'Scaled rotary positions are not supported.'],
    [{ quantization_config: { quant_method: 'gptq', bits: 4 } }, 'Checkpoints that are quantised already are not supported'],
    [{ hidden_act: 'gelu' }, 'The activation "gelu" is not supported.'],
    [{ num_key_value_heads: 4 }, '14 query heads cannot share 4 key/value heads evenly.'],
    [{ head_dim: 40 }, 'A head size of 40 is not a multiple of 16.'],
    [{ hidden_size: -1 }, 'config.json is not a decoder\'s: hidden_size'],
  ])('with %j is refused', (change, sentence) => {
    expect(() => parseQwenConfig({ ...QWEN25, ...change })).toThrow(sentence);
  });

  it('of a Qwen3 with biases is refused', () => {
    expect(() => parseQwenConfig({ ...QWEN3, attention_bias: true })).toThrow('A Qwen3 model with biases is not supported.');
  });
});
