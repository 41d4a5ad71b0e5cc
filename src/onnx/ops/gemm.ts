import { dimension, type GraphBuilder, type Value } from '../graph.ts';
import { unbroadcast } from './unbroadcast.ts';

export interface GemmOptions {
  transA?: boolean;
  transB?: boolean;
  alpha?: number;
  /** Added to the product; broadcast to [m, n]. */
  c?: Value | undefined;
}

/** alpha · op(a) · op(b) + c, matrices only; op transposes where asked. Result [m, n]. */
export function gemm(g: GraphBuilder, a: Value, b: Value, options: GemmOptions = {}): Value {
  const { transA = false, transB = false, alpha = 1, c } = options;
  const m = dimension(a, transA ? 1 : 0);
  const k = dimension(a, transA ? 0 : 1);
  const n = dimension(b, transB ? 0 : 1);
  if (k !== dimension(b, transB ? 1 : 0)) throw new Error(`gemm of [${a.shape.join()}] and [${b.shape.join()}]`);
  const y = g.node(
    'Gemm',
    c ? [a, b, c] : [a, b],
    { dtype: a.dtype, shape: [m, n] },
    { transA: { int: +transA }, transB: { int: +transB }, alpha: { float: alpha } },
  );
  const da = (dy: Value) =>
    transA ? gemm(g, b, dy, { transA: transB, transB: true, alpha }) : gemm(g, dy, b, { transB: !transB, alpha });
  const db = (dy: Value) =>
    transB ? gemm(g, dy, a, { transA: true, transB: transA, alpha }) : gemm(g, a, dy, { transA: !transA, alpha });
  if (!c) return g.record([a, b], y, [da, db]);
  return g.record([a, b, c], y, [da, db, (dy) => unbroadcast(g, dy, c.shape)]);
}
