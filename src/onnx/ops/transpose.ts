import { dimension, type GraphBuilder, type Value } from '../graph.ts';

/** Axis i of the result is axis `permutation[i]` of x. */
export function transpose(g: GraphBuilder, x: Value, permutation: readonly number[]): Value {
  const shape = permutation.map((axis) => dimension(x, axis));
  const y = g.node('Transpose', [x], { dtype: x.dtype, shape }, { perm: { ints: permutation } });
  const inverse = permutation.map((_, axis) => permutation.indexOf(axis));
  return g.record([x], y, [(dy) => transpose(g, dy, inverse)]);
}
