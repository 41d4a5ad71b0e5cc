import { sizeOf, type GraphBuilder, type Value } from '../graph.ts';

/** The same elements in another shape. Where x has a dimension of −1, so must `shape`: it is what the others leave. */
export function reshape(g: GraphBuilder, x: Value, shape: readonly number[]): Value {
  if (x.shape.join() === shape.join()) return x;
  const isOpen = (dims: readonly number[]): boolean => dims.includes(-1);
  if (isOpen(x.shape) || isOpen(shape)) {
    if (!isOpen(x.shape) || shape.filter((size) => size === -1).length !== 1) throw new Error(`cannot reshape [${x.shape.join()}] to [${shape.join()}]`);
  } else if (sizeOf(x.shape) !== sizeOf(shape)) throw new Error(`cannot reshape [${x.shape.join()}] to [${shape.join()}]`);
  const y = g.node('Reshape', [x, g.int64s(shape)], { dtype: x.dtype, shape });
  return g.record([x], y, [(dy) => reshape(g, dy, x.shape)]);
}
