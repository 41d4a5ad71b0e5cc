import { broadcastShape, type GraphBuilder, type Value } from '../graph.ts';
import { unbroadcast } from './unbroadcast.ts';

/** a · b elementwise, broadcast. */
export function mul(g: GraphBuilder, a: Value, b: Value): Value {
  const y = g.node('Mul', [a, b], { dtype: a.dtype, shape: broadcastShape(a.shape, b.shape) });
  return g.record([a, b], y, [
    (dy) => unbroadcast(g, mul(g, dy, b), a.shape),
    (dy) => unbroadcast(g, mul(g, dy, a), b.shape),
  ]);
}
