import type { GraphBuilder, Value } from '../graph.ts';
import { cast } from './cast.ts';

/** Elementwise "or" of two bool tensors of one shape. */
export function or(g: GraphBuilder, a: Value, b: Value): Value {
  return g.node('Or', [a, b], a);
}

/** Elementwise "not". */
export function not(g: GraphBuilder, a: Value): Value {
  return g.node('Not', [a], a);
}

/** True when any element of a bool tensor is; shape []. */
export function any(g: GraphBuilder, a: Value): Value {
  const most = g.node('ReduceMax', [cast(g, a, 'int32')], { dtype: 'int32', shape: [] }, { keepdims: { int: 0 } });
  return cast(g, most, 'bool');
}
