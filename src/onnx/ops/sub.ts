import { broadcastShape, type GraphBuilder, type Value } from '../graph.ts';
import { neg } from './neg.ts';
import { unbroadcast } from './unbroadcast.ts';

/** a − b, broadcast. */
export function sub(g: GraphBuilder, a: Value, b: Value): Value {
  const y = g.node('Sub', [a, b], { dtype: a.dtype, shape: broadcastShape(a.shape, b.shape) });
  return g.record([a, b], y, [(dy) => unbroadcast(g, dy, a.shape), (dy) => neg(g, unbroadcast(g, dy, b.shape))]);
}
