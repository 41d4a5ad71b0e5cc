import { broadcastShape, type GraphBuilder, type Value } from '../graph.ts';
import { unbroadcast } from './unbroadcast.ts';

/** a where `condition` (bool) holds, else b; broadcast. */
export function where(g: GraphBuilder, condition: Value, a: Value, b: Value): Value {
  const shape = broadcastShape(condition.shape, broadcastShape(a.shape, b.shape));
  const y = g.node('Where', [condition, a, b], { dtype: a.dtype, shape });
  const zero = g.scalar(0);
  return g.record([a, b], y, [
    (dy) => unbroadcast(g, where(g, condition, dy, zero), a.shape),
    (dy) => unbroadcast(g, where(g, condition, zero, dy), b.shape),
  ]);
}
