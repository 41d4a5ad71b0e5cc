/**
 * One decoder block of Qwen2, Qwen2.5 or Qwen3. What differs between training and decoding is attention alone, so it is
 * passed in: the causal one over whole sequences, or the cached one (`decode-graphs.ts`).
 */
import type { GraphBuilder, Value } from '../onnx/graph.ts';
import { add } from '../onnx/ops/add.ts';
import { mul } from '../onnx/ops/mul.ts';
import { reshape } from '../onnx/ops/reshape.ts';
import { rmsNorm } from '../onnx/ops/rms-norm.ts';
import { silu } from '../onnx/ops/silu.ts';
import type { QwenConfig } from './config.ts';
import { project, type LoraSpec } from './lora.ts';

export interface QueriesKeysValues {
  /** [tokens, heads · headDim] */
  q: Value;
  /** [tokens, kvHeads · headDim] */
  k: Value;
  v: Value;
}

export type BlockWeights = Record<string, Value>;

/** x [tokens, hidden] → [tokens, hidden]; `attend` maps q, k, v to [tokens, heads · headDim]. */
export function decoderBlock(
  g: GraphBuilder,
  config: QwenConfig,
  x: Value,
  weights: BlockWeights,
  lora: LoraSpec | null,
  attend: (qkv: QueriesKeysValues) => Value,
): Value {
  const weight = (name: string): Value => {
    const value = weights[name];
    if (!value) throw new Error(`there is no ${name}`);
    return value;
  };
  const normed = rmsNorm(g, x, weight('input_layernorm.weight'), config.rmsNormEps);
  let q = project(g, normed, weights, 'self_attn.q_proj', lora);
  let k = project(g, normed, weights, 'self_attn.k_proj', lora);
  const v = project(g, normed, weights, 'self_attn.v_proj', lora);
  if (config.modelType === 'qwen3') {
    q = headNorm(g, config, q, weight('self_attn.q_norm.weight'));
    k = headNorm(g, config, k, weight('self_attn.k_norm.weight'));
  }
  const attended = add(g, x, project(g, attend({ q, k, v }), weights, 'self_attn.o_proj', lora));
  const inner = rmsNorm(g, attended, weight('post_attention_layernorm.weight'), config.rmsNormEps);
  const gate = silu(g, project(g, inner, weights, 'mlp.gate_proj', lora));
  const up = project(g, inner, weights, 'mlp.up_proj', lora);
  return add(g, attended, project(g, mul(g, gate, up), weights, 'mlp.down_proj', lora));
}

/** Qwen3 normalises each head's queries and keys before rotating them. */
function headNorm(g: GraphBuilder, config: QwenConfig, x: Value, weight: Value): Value {
  const [tokens = 0, width = 0] = x.shape;
  const rows = tokens === -1 ? -1 : (tokens * width) / config.headDim;
  const perHead = reshape(g, x, [rows, config.headDim]);
  return reshape(g, rmsNorm(g, perHead, weight, config.rmsNormEps), [tokens, width]);
}
