/** Causal grouped-query attention over whole, right-padded sequences, differentiable. */
import type { GraphBuilder, Value } from '../onnx/graph.ts';
import { add } from '../onnx/ops/add.ts';
import { compare } from '../onnx/ops/compare.ts';
import { matmul, swapLast } from '../onnx/ops/matmul.ts';
import { mul } from '../onnx/ops/mul.ts';
import { reshape } from '../onnx/ops/reshape.ts';
import { rotary } from '../onnx/ops/rotary.ts';
import { softmax } from '../onnx/ops/softmax.ts';
import { transpose } from '../onnx/ops/transpose.ts';
import { where } from '../onnx/ops/where.ts';
import type { QueriesKeysValues } from './block.ts';
import type { QwenConfig } from './config.ts';

/** Low enough to vanish after the softmax, high enough not to overflow in half precision. */
export const MASKED = -3e4;

/** cos, sin: [positions, headDim/2]; sequences start at position 0. Right padding needs no mask: nothing valid looks right. */
export function causalAttention(
  g: GraphBuilder,
  config: QwenConfig,
  { q, k, v }: QueriesKeysValues,
  batch: number,
  length: number,
  cos: Value,
  sin: Value,
): Value {
  const { heads, kvHeads, headDim } = config;
  const split = (x: Value, count: number) => transpose(g, reshape(g, x, [batch, length, count, headDim]), [0, 2, 1, 3]);
  // The query heads that share a key head are stacked along its rows, so that no key or value is repeated.
  const group = heads / kvHeads;
  const grouped = [batch, kvHeads, group * length, headDim];
  const queries = reshape(g, mul(g, rotary(g, split(q, heads), cos, sin), g.scalar(headDim ** -0.5)), grouped);
  const keys = rotary(g, split(k, kvHeads), cos, sin);
  const scores = reshape(g, matmul(g, queries, swapLast(g, keys)), [batch, heads, length, length]);
  const positions = Int32Array.from({ length }, (_, i) => i);
  const visible = compare(g, 'GreaterOrEqual', g.constant(positions, [length, 1]), g.constant(positions, [1, length]));
  // Added rather than selected: a masked score's probability is exactly zero, and so is its derivative.
  const attention = softmax(g, add(g, scores, where(g, visible, g.scalar(0), g.scalar(MASKED))));
  const mixed = matmul(g, reshape(g, attention, [batch, kvHeads, group * length, length]), split(v, kvHeads));
  const merged = transpose(g, reshape(g, mixed, [batch, heads, length, headDim]), [0, 2, 1, 3]);
  return reshape(g, merged, [batch * length, heads * headDim]);
}
