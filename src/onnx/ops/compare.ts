import { broadcastShape, type GraphBuilder, type Value } from '../graph.ts';

export type Comparison = 'Equal' | 'Less' | 'LessOrEqual' | 'Greater' | 'GreaterOrEqual';

/** Elementwise comparison, broadcast; bool, without a derivative. */
export function compare(g: GraphBuilder, comparison: Comparison, a: Value, b: Value): Value {
  return g.node(comparison, [a, b], { dtype: 'bool', shape: broadcastShape(a.shape, b.shape) });
}
