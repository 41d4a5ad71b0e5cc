import type { GraphBuilder, Value } from '../graph.ts';
import { div } from './div.ts';
import { mul } from './mul.ts';

/** √x elementwise. */
export function sqrt(g: GraphBuilder, x: Value): Value {
  const y = g.node('Sqrt', [x], x);
  return g.record([x], y, [(dy) => div(g, mul(g, dy, g.scalar(0.5)), y)]);
}
