/** Shapes that only the run knows: taken from a value, and given to another. Without derivatives: what is trained has static shapes. */
import type { GraphBuilder, Value } from '../graph.ts';
import { concat } from './concat.ts';

/** Dimensions [start, end) of x as they are at run time, int64 [end − start]. */
export function shapeOf(g: GraphBuilder, x: Value, start: number, end: number): Value {
  return g.node('Shape', [x], { dtype: 'int64', shape: [end - start] }, { start: { int: start }, end: { int: end } });
}

/** x in the shape `leading` (int64 [k], at run time) followed by `rest`, which may hold one −1. */
export function reshapeTo(g: GraphBuilder, x: Value, leading: Value, rest: readonly number[]): Value {
  const unknown = Array.from({ length: leading.shape[0] ?? 0 }, () => -1);
  return g.node('Reshape', [x, concat(g, [leading, g.int64s(rest)], 0)], { dtype: x.dtype, shape: [...unknown, ...rest] });
}
