import type { GraphBuilder, Value } from '../graph.ts';
import { exp } from './exp.ts';
import { mul } from './mul.ts';
import { reduceSum } from './reduce-sum.ts';
import { sub } from './sub.ts';

/** Logarithm of the softmax over the last axis. */
export function logSoftmax(g: GraphBuilder, x: Value): Value {
  const y = g.node('LogSoftmax', [x], x, { axis: { int: -1 } });
  return g.record([x], y, [(dy) => sub(g, dy, mul(g, exp(g, y), reduceSum(g, dy, [-1])))]);
}
