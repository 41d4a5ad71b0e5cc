import { broadcastShape, type GraphBuilder, type Value } from '../graph.ts';
import { unbroadcast } from './unbroadcast.ts';

/** x broadcast to `shape`. */
export function expand(g: GraphBuilder, x: Value, shape: readonly number[]): Value {
  if (x.shape.join() === shape.join()) return x;
  const y = g.node('Expand', [x, g.int64s(shape)], { dtype: x.dtype, shape: broadcastShape(x.shape, shape) });
  return g.record([x], y, [(dy) => unbroadcast(g, dy, x.shape)]);
}
