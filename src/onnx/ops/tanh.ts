import type { GraphBuilder, Value } from '../graph.ts';
import { mul } from './mul.ts';
import { sub } from './sub.ts';

/** Hyperbolic tangent elementwise. */
export function tanh(g: GraphBuilder, x: Value): Value {
  const y = g.node('Tanh', [x], x);
  return g.record([x], y, [(dy) => mul(g, dy, sub(g, g.scalar(1), mul(g, y, y)))]);
}
