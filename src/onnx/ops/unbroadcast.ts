import type { GraphBuilder, Value } from '../graph.ts';
import { reduceSum } from './reduce-sum.ts';
import { reshape } from './reshape.ts';

/** Sums a cotangent over the axes along which an input of shape `shape` was broadcast. */
export function unbroadcast(g: GraphBuilder, cotangent: Value, shape: readonly number[]): Value {
  if (cotangent.shape.join() === shape.join()) return cotangent;
  const lead = cotangent.shape.length - shape.length;
  const axes = cotangent.shape.flatMap((size, axis) => (axis < lead || (shape[axis - lead] === 1 && size !== 1) ? [axis] : []));
  return reshape(g, reduceSum(g, cotangent, axes), shape);
}
