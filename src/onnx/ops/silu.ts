import type { GraphBuilder, Value } from '../graph.ts';
import { mul } from './mul.ts';
import { sigmoid } from './sigmoid.ts';

/** x · sigmoid(x), the activation of SwiGLU. */
export function silu(g: GraphBuilder, x: Value): Value {
  return mul(g, x, sigmoid(g, x));
}
