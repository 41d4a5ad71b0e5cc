import type { GraphBuilder, Value } from '../graph.ts';

/** −x. */
export function neg(g: GraphBuilder, x: Value): Value {
  const y = g.node('Neg', [x], x);
  return g.record([x], y, [(dy) => neg(g, dy)]);
}
