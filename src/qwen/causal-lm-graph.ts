/**
 * The model as others load it: one graph for any batch and length, its weights constants in a file beside it, with a cache of keys and
 * values that goes in and comes out. Names and meanings of inputs and outputs are those of Hugging Face's exports, which transformers.js
 * runs.
 */
import { GraphBuilder, MICROSOFT, type ExternalPlace, type Graph, type Value } from '../onnx/graph.ts';
import { cast } from '../onnx/ops/cast.ts';
import { compare } from '../onnx/ops/compare.ts';
import { concat } from '../onnx/ops/concat.ts';
import { gather } from '../onnx/ops/gather.ts';
import { gemm } from '../onnx/ops/gemm.ts';
import { neg } from '../onnx/ops/neg.ts';
import { reshape } from '../onnx/ops/reshape.ts';
import { rmsNorm } from '../onnx/ops/rms-norm.ts';
import { reshapeTo, shapeOf } from '../onnx/ops/run-time-shape.ts';
import { sub } from '../onnx/ops/sub.ts';
import { where } from '../onnx/ops/where.ts';
import { decoderBlock, type QueriesKeysValues } from './block.ts';
import { MASKED } from './causal-attention.ts';
import type { QwenConfig } from './config.ts';
import { EMBEDDING, FINAL_NORM, blockShapes, blockTensor, modelShapes, type Shapes } from './parameters.ts';
import { rotaryTables } from './rope.ts';
import { headWeight } from './training-graphs.ts';

const BATCH = 'batch_size';
const ROPE_COS = 'rope.cos';
const ROPE_SIN = 'rope.sin';
/** Slice takes an end beyond the axis as the axis' end. */
const TO_THE_END = 2n ** 63n - 1n;

/** Every constant of the graph: the model's tensors and the rotary tables, [positions, headDim / 2]. */
export function constantShapes(config: QwenConfig): Shapes {
  const table = [config.maxPositions, config.headDim / 2];
  return { ...modelShapes(config), [ROPE_COS]: table, [ROPE_SIN]: table };
}

/** Values of the constants that no checkpoint has. */
export function rotaryConstants(config: QwenConfig): Record<string, Float32Array> {
  const { cos, sin } = rotaryTables(config, config.maxPositions);
  return { [ROPE_COS]: cos, [ROPE_SIN]: sin };
}

/**
 * Inputs: `input_ids` and `position_ids` int64 [batch, length]; `attention_mask` int64 [batch, past + length], 0 where padding is, on whichever
 * side; `num_logits_to_keep` int64 [], 0 for all; `past_key_values.<layer>.key` and `.value` [batch, kvHeads, past, headDim]. Outputs: `logits`
 * [batch, kept, vocab] and `present.<layer>.key`, `.value` [batch, kvHeads, past + length, headDim].
 */
export function causalLmGraph(config: QwenConfig, placeOf: (name: string) => ExternalPlace): Graph {
  const g = new GraphBuilder('causal-lm');
  const ids = g.input('input_ids', 'int64', [-1, -1], [BATCH, 'sequence_length']);
  const mask = g.input('attention_mask', 'int64', [-1, -1], [BATCH, 'total_sequence_length']);
  const positions = g.input('position_ids', 'int64', [-1, -1], [BATCH, 'sequence_length']);
  const kept = g.input('num_logits_to_keep', 'int64', []);
  const constants = Object.fromEntries(
    Object.entries(constantShapes(config)).map(([name, shape]) => [name, g.external(name, 'float32', shape, placeOf(name))]),
  );
  const constant = (name: string): Value => {
    const value = constants[name];
    if (!value) throw new Error(`the model has no ${name}`);
    return value;
  };
  const attention = declareAttention(g, config, { ids, mask, positions, cos: constant(ROPE_COS), sin: constant(ROPE_SIN) });
  let x = gather(g, constant(EMBEDDING), reshape(g, ids, [-1]));
  for (let layer = 0; layer < config.layers; layer++) {
    const weights = Object.fromEntries(Object.keys(blockShapes(config)).map((name) => [name, constant(blockTensor(layer, name))]));
    x = decoderBlock(g, config, x, weights, null, (qkv) => attention(layer, qkv));
  }
  const rows = reshapeTo(g, x, shapeOf(g, ids, 0, 2), [config.hiddenSize]);
  const ends = g.constant(BigInt64Array.of(TO_THE_END), [1], 'int64');
  const last = g.node('Slice', [rows, reshape(g, neg(g, kept), [1]), ends, g.int64s([1])], rows);
  const hidden = rmsNorm(g, reshape(g, last, [-1, config.hiddenSize]), constant(FINAL_NORM), config.rmsNormEps);
  const logits = gemm(g, hidden, constant(headWeight(config)), { transB: true });
  g.output('logits', reshapeTo(g, logits, shapeOf(g, last, 0, 2), [config.vocabSize]), [BATCH, 'kept_length']);
  return g.finish();
}

interface AttentionInputs {
  ids: Value;
  mask: Value;
  positions: Value;
  cos: Value;
  sin: Value;
}

/**
 * Attention with a cache, layer by layer. Padding counts as a token that nothing may look at: so left-padded rows need no other treatment than
 * right-padded ones, and the cache keeps the columns of the mask.
 */
function declareAttention(g: GraphBuilder, config: QwenConfig, { ids, mask, positions, cos, sin }: AttentionInputs) {
  const { heads, kvHeads, headDim } = config;
  const leading = shapeOf(g, ids, 0, 2);
  const batch = shapeOf(g, ids, 0, 1);
  const length = shapeOf(g, ids, 1, 2);
  const total = shapeOf(g, mask, 1, 2);
  const bias = where(g, compare(g, 'Equal', mask, g.scalar(0, 'int64')), g.scalar(MASKED), g.scalar(0));
  const one = g.int64s([1]);
  const columns = g.node('Reshape', [bias, concat(g, [batch, one, one, total], 0)], { dtype: 'float32', shape: [-1, 1, 1, -1] });
  const rowsOfBias = g.node('Expand', [columns, concat(g, [batch, one, length, total], 0)], { dtype: 'float32', shape: [-1, 1, -1, -1] });
  const lastIndex = g.node('Expand', [cast(g, sub(g, total, one), 'int32'), batch], { dtype: 'int32', shape: [-1] });
  const total32 = cast(g, reshape(g, total, []), 'int32');
  const rotate = (x: Value): Value => g.node('RotaryEmbedding', [x, positions, cos, sin], x, {}, MICROSOFT);

  return (layer: number, { q, k, v }: QueriesKeysValues): Value => {
    const rows = (x: Value, count: number): Value => reshapeTo(g, x, leading, [count * headDim]);
    const cached = { dtype: 'float32' as const, shape: [-1, kvHeads, -1, headDim] };
    const past = (kind: string): Value => g.input(`past_key_values.${layer}.${kind}`, 'float32', cached.shape, [BATCH, 'past_sequence_length']);
    const [attended, key, value] = g.nodes(
      'GroupQueryAttention',
      [rotate(rows(q, heads)), rotate(rows(k, kvHeads)), rows(v, kvHeads), past('key'), past('value'), lastIndex, total32, null, null, null, rowsOfBias],
      [{ dtype: 'float32', shape: [-1, -1, heads * headDim] }, cached, cached],
      { num_heads: { int: heads }, kv_num_heads: { int: kvHeads } },
      MICROSOFT,
    );
    if (!attended || !key || !value) throw new Error('attention has three outputs');
    g.output(`present.${layer}.key`, key, [BATCH, 'total_sequence_length']);
    g.output(`present.${layer}.value`, value, [BATCH, 'total_sequence_length']);
    return reshape(g, attended, [-1, heads * headDim]);
  };
}
