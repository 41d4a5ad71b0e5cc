import { MICROSOFT, type GraphBuilder, type Value } from '../graph.ts';
import { neg } from './neg.ts';

/**
 * Rotary position embedding (Su et al. 2021), the half-split layout of Llama and Qwen: x [batch, heads, length, size],
 * cos and sin [positions, size/2], position of a token = its index along `length`. A rotation's derivative is the rotation
 * by the opposite angle.
 */
export function rotary(g: GraphBuilder, x: Value, cos: Value, sin: Value): Value {
  const start = g.constant(BigInt64Array.of(0n), [1], 'int64');
  const rotate = (input: Value, sine: Value): Value => {
    const y = g.node('RotaryEmbedding', [input, start, cos, sine], input, { interleaved: { int: 0 } }, MICROSOFT);
    return g.record([input], y, [(dy) => rotate(dy, neg(g, sine))]);
  };
  return rotate(x, sin);
}
