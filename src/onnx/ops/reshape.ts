import { sizeOf, type GraphBuilder, type Value } from '../graph.ts';

/** The same elements in another shape. */
export function reshape(g: GraphBuilder, x: Value, shape: readonly number[]): Value {
  if (x.shape.join() === shape.join()) return x;
  if (sizeOf(x.shape) !== sizeOf(shape)) throw new Error(`cannot reshape [${x.shape.join()}] to [${shape.join()}]`);
  const y = g.node('Reshape', [x, g.int64s(shape)], { dtype: x.dtype, shape });
  return g.record([x], y, [(dy) => reshape(g, dy, x.shape)]);
}
