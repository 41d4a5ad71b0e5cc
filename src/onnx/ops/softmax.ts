import type { GraphBuilder, Value } from '../graph.ts';
import { mul } from './mul.ts';
import { reduceSum } from './reduce-sum.ts';
import { sub } from './sub.ts';

/** Softmax over the last axis. */
export function softmax(g: GraphBuilder, x: Value): Value {
  const y = g.node('Softmax', [x], x, { axis: { int: -1 } });
  return g.record([x], y, [(dy) => mul(g, y, sub(g, dy, reduceSum(g, mul(g, dy, y), [-1])))]);
}
