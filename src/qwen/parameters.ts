/** Names and shapes of a Qwen decoder's tensors, as Hugging Face names them (`[out, in]` for projections). */
import type { QwenConfig } from './config.ts';

export type Shapes = Record<string, readonly number[]>;

export const EMBEDDING = 'model.embed_tokens.weight';
export const FINAL_NORM = 'model.norm.weight';
export const UNTIED_HEAD = 'lm_head.weight';

/** The seven projections of a block and where they sit. */
export const PROJECTION_PATH = {
  q_proj: 'self_attn.q_proj',
  k_proj: 'self_attn.k_proj',
  v_proj: 'self_attn.v_proj',
  o_proj: 'self_attn.o_proj',
  gate_proj: 'mlp.gate_proj',
  up_proj: 'mlp.up_proj',
  down_proj: 'mlp.down_proj',
} as const;
export type Projection = keyof typeof PROJECTION_PATH;

/** [out, in] of each projection. */
export function projectionShape(config: QwenConfig, projection: Projection): [number, number] {
  const { hiddenSize, intermediateSize } = config;
  const queries = config.heads * config.headDim;
  const keys = config.kvHeads * config.headDim;
  switch (projection) {
    case 'q_proj':
      return [queries, hiddenSize];
    case 'k_proj':
    case 'v_proj':
      return [keys, hiddenSize];
    case 'o_proj':
      return [hiddenSize, queries];
    case 'gate_proj':
    case 'up_proj':
      return [intermediateSize, hiddenSize];
    case 'down_proj':
      return [hiddenSize, intermediateSize];
  }
}

/** One block's tensors by their names inside the block (`self_attn.q_proj.weight`, …). */
export function blockShapes(config: QwenConfig): Shapes {
  const shapes: Shapes = {
    'input_layernorm.weight': [config.hiddenSize],
    'post_attention_layernorm.weight': [config.hiddenSize],
  };
  for (const [projection, path] of Object.entries(PROJECTION_PATH)) {
    const shape = projectionShape(config, projection as Projection);
    shapes[`${path}.weight`] = shape;
    const biased = projection === 'q_proj' || projection === 'k_proj' || projection === 'v_proj';
    if (biased && config.modelType === 'qwen2') shapes[`${path}.bias`] = [shape[0]];
  }
  if (config.modelType === 'qwen3') {
    shapes['self_attn.q_norm.weight'] = [config.headDim];
    shapes['self_attn.k_norm.weight'] = [config.headDim];
  }
  return shapes;
}

/** The full name of a block's tensor. */
export function blockTensor(layer: number, name: string): string {
  return `model.layers.${layer}.${name}`;
}

/** Every tensor of the model. */
export function modelShapes(config: QwenConfig): Shapes {
  const shapes: Shapes = { [EMBEDDING]: [config.vocabSize, config.hiddenSize], [FINAL_NORM]: [config.hiddenSize] };
  for (let layer = 0; layer < config.layers; layer++) {
    for (const [name, shape] of Object.entries(blockShapes(config))) shapes[blockTensor(layer, name)] = shape;
  }
  if (!config.tieWordEmbeddings) shapes[UNTIED_HEAD] = [config.vocabSize, config.hiddenSize];
  return shapes;
}
