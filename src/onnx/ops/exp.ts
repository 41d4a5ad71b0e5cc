import type { GraphBuilder, Value } from '../graph.ts';
import { mul } from './mul.ts';

/** eˣ elementwise. */
export function exp(g: GraphBuilder, x: Value): Value {
  const y = g.node('Exp', [x], x);
  return g.record([x], y, [(dy) => mul(g, dy, y)]);
}
