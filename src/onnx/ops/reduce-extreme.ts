import type { GraphBuilder, Value } from '../graph.ts';

/** Largest or smallest element along the last axis, which stays with size 1; without a derivative. */
export function reduceExtreme(g: GraphBuilder, which: 'ReduceMax' | 'ReduceMin', x: Value): Value {
  const shape = [...x.shape.slice(0, -1), 1];
  return g.node(which, [x, g.int64s([x.shape.length - 1])], { dtype: x.dtype, shape }, { keepdims: { int: 1 } });
}
