import type { DType, GraphBuilder, Value } from '../graph.ts';

const ELEMENT_TYPE: Record<DType, number> = { float32: 1, uint8: 2, int32: 6, int64: 7, bool: 9, float16: 10 };
const FLOATS: readonly DType[] = ['float32', 'float16'];

/** The same numbers in another type; differentiable between floating-point types. */
export function cast(g: GraphBuilder, x: Value, dtype: DType): Value {
  if (x.dtype === dtype) return x;
  const y = g.node('Cast', [x], { dtype, shape: x.shape }, { to: { int: ELEMENT_TYPE[dtype] } });
  if (!FLOATS.includes(x.dtype) || !FLOATS.includes(dtype)) return y;
  return g.record([x], y, [(dy) => cast(g, dy, x.dtype)]);
}
