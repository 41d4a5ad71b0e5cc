import type { GraphBuilder, Value } from '../graph.ts';
import { expand } from './expand.ts';

/** Sum over `axes`, which stay with size 1. */
export function reduceSum(g: GraphBuilder, x: Value, axes: readonly number[]): Value {
  const positive = axes.map((axis) => (axis < 0 ? axis + x.shape.length : axis));
  const shape = x.shape.map((size, axis) => (positive.includes(axis) ? 1 : size));
  const y = g.node('ReduceSum', [x, g.int64s(positive)], { dtype: x.dtype, shape }, { keepdims: { int: 1 } });
  return g.record([x], y, [(dy) => expand(g, dy, x.shape)]);
}
