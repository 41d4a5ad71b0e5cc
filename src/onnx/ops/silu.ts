import type { GraphBuilder, Value } from '../graph.ts';
import { add } from './add.ts';
import { mul } from './mul.ts';
import { sub } from './sub.ts';

/** x · sigmoid(x), the activation of SwiGLU. With s = sigmoid(x): dy/dx = s + y·(1 − s). */
export function silu(g: GraphBuilder, x: Value): Value {
  const s = g.node('Sigmoid', [x], x);
  const y = g.node('Mul', [x, s], x);
  return g.record([x], y, [(dy) => mul(g, dy, add(g, s, mul(g, y, sub(g, g.scalar(1), s))))]);
}
