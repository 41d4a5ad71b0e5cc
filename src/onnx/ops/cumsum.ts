import { dimension, sizeOf, type GraphBuilder, type Value } from '../graph.ts';
import { add } from './add.ts';
import { concat } from './concat.ts';
import { expand } from './expand.ts';
import { reduceSum } from './reduce-sum.ts';
import { reshape } from './reshape.ts';

/** Above this many entries a running sum is taken in two levels: WebGPU runs one thread per row. */
const BLOCK = 512;

/** Running sum over the last axis of x [rows, n], inclusive, without a derivative. */
export function cumsum(g: GraphBuilder, x: Value): Value {
  const rows = dimension(x, 0);
  const n = dimension(x, 1);
  if (n <= 2 * BLOCK) return running(g, x, false);
  const blocks = Math.ceil(n / BLOCK);
  const padding = blocks * BLOCK - n;
  const padded = padding > 0 ? concat(g, [x, expand(g, g.scalar(0), [rows, padding])], 1) : x;
  const grid = reshape(g, padded, [rows, blocks, BLOCK]);
  const before = running(g, reshape(g, reduceSum(g, grid, [2]), [rows, blocks]), true);
  const sums = reshape(g, add(g, running(g, grid, false), reshape(g, before, [rows, blocks, 1])), [rows, blocks * BLOCK]);
  return padding > 0 ? g.node('Slice', [sums, g.int64s([0]), g.int64s([n]), g.int64s([1])], { dtype: 'float32', shape: [rows, n] }) : sums;
}

function running(g: GraphBuilder, x: Value, exclusive: boolean): Value {
  if (sizeOf(x.shape) === 0) return x;
  const axis = g.scalar(x.shape.length - 1, 'int64');
  return g.node('CumSum', [x, axis], x, { exclusive: { int: +exclusive }, reverse: { int: 0 } });
}
