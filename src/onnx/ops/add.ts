import { broadcastShape, type GraphBuilder, type Value } from '../graph.ts';
import { unbroadcast } from './unbroadcast.ts';

/** a + b, broadcast. */
export function add(g: GraphBuilder, a: Value, b: Value): Value {
  const y = g.node('Add', [a, b], { dtype: a.dtype, shape: broadcastShape(a.shape, b.shape) });
  return g.record([a, b], y, [(dy) => unbroadcast(g, dy, a.shape), (dy) => unbroadcast(g, dy, b.shape)]);
}
