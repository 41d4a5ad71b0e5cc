import { MICROSOFT, dimension, type GraphBuilder, type Value } from '../graph.ts';
import { concat } from './concat.ts';
import { gemm } from './gemm.ts';
import { mul } from './mul.ts';
import { reshape } from './reshape.ts';
import { slice } from './slice.ts';
import { sub } from './sub.ts';

/** Weights that share a scale. */
export const BLOCK = 32;

/** A matrix [out, in] of 4-bit numbers q, each standing for (q − 8) · the scale of its block. */
export interface Packed {
  /** uint8 [out, ⌈in/32⌉, 16]: byte j of a block holds its elements 2j (low half) and 2j + 1 (high half). */
  packed: Value;
  /** float32 [out, ⌈in/32⌉]. */
  scales: Value;
}

/** x [tokens, in] · Wᵀ + bias [out] → [tokens, out]; differentiable by x alone, for W is frozen. */
export function matmul4bit(g: GraphBuilder, x: Value, w: Packed, bias?: Value): Value {
  const [tokens, width, out] = [dimension(x, 0), dimension(x, 1), dimension(w.packed, 0)];
  if (dimension(w.packed, 1) !== Math.ceil(width / BLOCK)) throw new Error(`${width} columns do not fit [${w.packed.shape.join()}]`);
  const y = g.node(
    'MatMulNBits',
    [x, w.packed, w.scales, ...(bias ? [null, null, bias] : [])],
    { dtype: 'float32', shape: [tokens, out] },
    { K: { int: width }, N: { int: out }, bits: { int: 4 }, block_size: { int: BLOCK } },
    MICROSOFT,
  );
  const dx = (dy: Value): Value => {
    // Even and odd columns are multiplied apart, so that only the small result has to be interleaved, and not W.
    const [even, odd] = dequantise(g, w).map((half) => reshape(g, gemm(g, dy, half), [tokens, dimension(half, 1), 1])) as [Value, Value];
    const joined = reshape(g, concat(g, [even, odd], 2), [tokens, 2 * dimension(even, 1)]);
    return dimension(joined, 1) === width ? joined : slice(g, joined, 1, 0, width);
  };
  return g.record([x], y, [dx]);
}

/**
 * Even and odd columns of W, each float32 [out, 16 · ⌈in/32⌉]. In floating-point arithmetic, because no backend but the CPU shifts bytes on the
 * device, and 4-bit types or fused gathers are each missing on one of them.
 */
function dequantise(g: GraphBuilder, { packed, scales }: Packed): [Value, Value] {
  const [out, blocks] = [dimension(packed, 0), dimension(packed, 1)];
  const bytes = g.node('DequantizeLinear', [packed, g.scalar(1)], { dtype: 'float32', shape: packed.shape });
  const high = g.node('Floor', [mul(g, bytes, g.scalar(1 / 16))], bytes);
  const low = sub(g, bytes, mul(g, high, g.scalar(16)));
  const scale = reshape(g, scales, [out, blocks, 1]);
  const columns = (half: Value): Value => reshape(g, mul(g, sub(g, half, g.scalar(8)), scale), [out, (blocks * BLOCK) / 2]);
  return [columns(low), columns(high)];
}
