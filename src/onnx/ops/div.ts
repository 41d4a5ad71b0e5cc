import { broadcastShape, type GraphBuilder, type Value } from '../graph.ts';
import { mul } from './mul.ts';
import { neg } from './neg.ts';
import { unbroadcast } from './unbroadcast.ts';

/** a / b elementwise, broadcast. */
export function div(g: GraphBuilder, a: Value, b: Value): Value {
  const y = g.node('Div', [a, b], { dtype: a.dtype, shape: broadcastShape(a.shape, b.shape) });
  return g.record([a, b], y, [
    (dy) => unbroadcast(g, div(g, dy, b), a.shape),
    (dy) => unbroadcast(g, neg(g, div(g, mul(g, dy, y), b)), b.shape),
  ]);
}
