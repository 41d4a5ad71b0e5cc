import { type GraphBuilder, type Value } from '../graph.ts';

/** Running sum over the last axis of x [rows, n], each with itself, without a derivative. WebGPU runs one thread a row. */
export function runningSum(g: GraphBuilder, x: Value): Value {
  const axis = g.scalar(x.shape.length - 1, 'int64');
  return g.node('CumSum', [x, axis], x, { exclusive: { int: 0 }, reverse: { int: 0 } });
}
