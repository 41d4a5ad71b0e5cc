import { dimension, type GraphBuilder, type Value } from '../graph.ts';
import { transpose } from './transpose.ts';

/** a[…, m, k] · b[…, k, n] with equal leading axes. */
export function matmul(g: GraphBuilder, a: Value, b: Value): Value {
  if (a.shape.slice(0, -2).join() !== b.shape.slice(0, -2).join() || dimension(a, -1) !== dimension(b, -2)) {
    throw new Error(`matmul of [${a.shape.join()}] and [${b.shape.join()}]`);
  }
  const y = g.node('MatMul', [a, b], { dtype: a.dtype, shape: [...a.shape.slice(0, -1), dimension(b, -1)] });
  return g.record([a, b], y, [(dy) => matmul(g, dy, swapLast(g, b)), (dy) => matmul(g, swapLast(g, a), dy)]);
}

/** Transposes the last two axes. */
export function swapLast(g: GraphBuilder, x: Value): Value {
  const rank = x.shape.length;
  return transpose(g, x, [...Array(rank - 2).keys(), rank - 1, rank - 2]);
}
