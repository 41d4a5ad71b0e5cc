import type { GraphBuilder, Value } from '../graph.ts';
import { mul } from './mul.ts';
import { sub } from './sub.ts';

/** 1 / (1 + e⁻ˣ) elementwise. */
export function sigmoid(g: GraphBuilder, x: Value): Value {
  const y = g.node('Sigmoid', [x], x);
  return g.record([x], y, [(dy) => mul(g, dy, mul(g, y, sub(g, g.scalar(1), y)))]);
}
