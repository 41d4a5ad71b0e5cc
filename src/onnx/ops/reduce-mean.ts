import { sizeOf, type GraphBuilder, type Value } from '../graph.ts';
import { mul } from './mul.ts';
import { reduceSum } from './reduce-sum.ts';

/** Mean over `axes`, which stay with size 1. */
export function reduceMean(g: GraphBuilder, x: Value, axes: readonly number[]): Value {
  const sum = reduceSum(g, x, axes);
  return mul(g, sum, g.scalar(sizeOf(sum.shape) / sizeOf(x.shape)));
}
