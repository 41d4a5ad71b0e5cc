import { dimension, type GraphBuilder, type Value } from '../graph.ts';
import { concat } from './concat.ts';
import { expand } from './expand.ts';

/**
 * Distinct rows of x: y[t] = x[index[t]] for x [rows, width], index int32 [n]. `inverse` (int32 [rows]) says where each row
 * of x went, or n when it was not taken. With it the derivative is another gather: no scatter, no atomics on any backend.
 * Where `index` repeats a row (padding), that row's `inverse` entry decides which cotangent counts; the others must be 0.
 */
export function selectRows(g: GraphBuilder, x: Value, index: Value, inverse: Value): Value {
  const shape = [dimension(index, 0), dimension(x, 1)];
  const y = g.node('Gather', [x, index], { dtype: x.dtype, shape }, { axis: { int: 0 } });
  return g.record([x], y, [(dy) => spreadRows(g, dy, inverse)]);
}

/** The transpose of `selectRows`: row r of the result is dy[inverse[r]], or zero when inverse[r] is dy's row count. */
export function spreadRows(g: GraphBuilder, dy: Value, inverse: Value): Value {
  const width = dimension(dy, 1);
  const padded = concat(g, [dy, expand(g, g.scalar(0), [1, width])], 0);
  return g.node('Gather', [padded, inverse], { dtype: dy.dtype, shape: [dimension(inverse, 0), width] }, { axis: { int: 0 } });
}
