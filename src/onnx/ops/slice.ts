import { dimension, type GraphBuilder, type Value } from '../graph.ts';
import { concat } from './concat.ts';

/** Elements [start, end) along `axis` (not negative). */
export function slice(g: GraphBuilder, x: Value, axis: number, start: number, end: number): Value {
  const size = dimension(x, axis);
  if (start < 0 || end > size || start >= end) throw new Error(`slice [${start}, ${end}) of an axis of ${size}`);
  const resized = (length: number) => x.shape.map((n, i) => (i === axis ? length : n));
  const y = g.node('Slice', [x, g.int64s([start]), g.int64s([end]), g.int64s([axis])], {
    dtype: x.dtype,
    shape: resized(end - start),
  });
  return g.record([x], y, [
    (dy) => {
      const zeros = (length: number) => (length > 0 ? [zerosOf(g, resized(length))] : []);
      return concat(g, [...zeros(start), dy, ...zeros(size - end)], axis);
    },
  ]);
}

function zerosOf(g: GraphBuilder, shape: readonly number[]): Value {
  return g.node('Expand', [g.scalar(0), g.int64s(shape)], { dtype: 'float32', shape });
}
