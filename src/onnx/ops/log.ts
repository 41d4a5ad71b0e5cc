import type { GraphBuilder, Value } from '../graph.ts';
import { div } from './div.ts';

/** Natural logarithm elementwise. */
export function log(g: GraphBuilder, x: Value): Value {
  const y = g.node('Log', [x], x);
  return g.record([x], y, [(dy) => div(g, dy, x)]);
}
