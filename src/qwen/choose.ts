/**
 * Finding a place in rows of numbers inside a graph. Rows of a whole vocabulary are searched in two levels, first the block and then the
 * place in it: only one block a row is ever summed up step by step.
 */
import { dimension, type GraphBuilder, type Value } from '../onnx/graph.ts';
import { add } from '../onnx/ops/add.ts';
import { cast } from '../onnx/ops/cast.ts';
import { compare } from '../onnx/ops/compare.ts';
import { concat } from '../onnx/ops/concat.ts';
import { expand } from '../onnx/ops/expand.ts';
import { gather } from '../onnx/ops/gather.ts';
import { mul } from '../onnx/ops/mul.ts';
import { reduceExtreme } from '../onnx/ops/reduce-extreme.ts';
import { reduceSum } from '../onnx/ops/reduce-sum.ts';
import { reshape } from '../onnx/ops/reshape.ts';
import { runningSum } from '../onnx/ops/running-sum.ts';
import { slice } from '../onnx/ops/slice.ts';
import { sub } from '../onnx/ops/sub.ts';
import { where } from '../onnx/ops/where.ts';

/** Longest row that is searched in one level. */
const ONE_LEVEL = 1024;
const BLOCK = 512;
/** The largest f32 below 1. */
export const BELOW_ONE = 1 - 2 ** -24;

/**
 * The first place at which the running sum of `weights` [batch, n] (not negative, not all zero) exceeds `uniform` [batch, 1] times the whole
 * sum: float32 [batch, 1]. A place of weight zero is never taken, whatever is lost in rounding. `uniform` is at most `BELOW_ONE`.
 */
export function drawPlace(g: GraphBuilder, weights: Value, uniform: Value): Value {
  if (dimension(weights, 1) <= ONE_LEVEL) {
    const sums = runningSum(g, weights);
    return countUpTo(g, sums, mul(g, uniform, lastOf(g, sums)));
  }
  const grid = blocks(g, weights, 0);
  const sums = runningSum(g, reshape(g, reduceSum(g, grid, [2]), grid.shape.slice(0, 2)));
  const target = mul(g, uniform, lastOf(g, sums));
  const block = countUpTo(g, sums, target);
  const passed = cast(g, compare(g, 'LessOrEqual', sums, target), 'float32');
  const before = reduceExtreme(g, 'ReduceMax', mul(g, sums, passed));
  const inner = runningSum(g, takeBlock(g, grid, block));
  // A block's sum and the end of its running sum may differ in rounding; the target stays below both.
  const rest = smaller(g, sub(g, target, before), mul(g, lastOf(g, inner), g.scalar(BELOW_ONE)));
  return add(g, mul(g, block, g.scalar(BLOCK)), countUpTo(g, inner, rest));
}

/** The first of the places with the largest number, float32 [batch, 1]; arg-max would leave the GPU for its 64-bit result. */
export function largestPlace(g: GraphBuilder, x: Value): Value {
  if (dimension(x, 1) <= ONE_LEVEL) return firstLargest(g, x);
  const grid = blocks(g, x, LOWEST);
  const block = firstLargest(g, reshape(g, reduceExtreme(g, 'ReduceMax', grid), grid.shape.slice(0, 2)));
  return add(g, mul(g, block, g.scalar(BLOCK)), firstLargest(g, takeBlock(g, grid, block)));
}

/** The number of x [batch, n] at `place` (int32 [batch]), [batch]. */
export function numberAt(g: GraphBuilder, x: Value, place: Value): Value {
  const [batch, n] = [dimension(x, 0), dimension(x, 1)];
  return reshape(g, gather(g, reshape(g, x, [batch * n, 1]), add(g, rowStarts(g, batch, n), place)), [batch]);
}

const LOWEST = -3e38;

function firstLargest(g: GraphBuilder, x: Value): Value {
  const n = dimension(x, 1);
  const places = g.constant(Float32Array.from({ length: n }, (_, i) => i), [1, n]);
  const best = compare(g, 'GreaterOrEqual', x, reduceExtreme(g, 'ReduceMax', x));
  return reduceExtreme(g, 'ReduceMin', where(g, best, places, g.scalar(n)));
}

/** x [batch, n] as [batch, blocks, BLOCK], the last block filled up. */
function blocks(g: GraphBuilder, x: Value, fill: number): Value {
  const [batch, n] = [dimension(x, 0), dimension(x, 1)];
  const count = Math.ceil(n / BLOCK);
  const missing = count * BLOCK - n;
  const filled = missing > 0 ? concat(g, [x, expand(g, g.scalar(fill), [batch, missing])], 1) : x;
  return reshape(g, filled, [batch, count, BLOCK]);
}

/** Block `block` (float32 [batch, 1]) of each row, [batch, BLOCK]. */
function takeBlock(g: GraphBuilder, grid: Value, block: Value): Value {
  const [batch, count] = [dimension(grid, 0), dimension(grid, 1)];
  const index = add(g, rowStarts(g, batch, count), reshape(g, cast(g, block, 'int32'), [batch]));
  return gather(g, reshape(g, grid, [batch * count, BLOCK]), index);
}

function rowStarts(g: GraphBuilder, batch: number, width: number): Value {
  return g.constant(Int32Array.from({ length: batch }, (_, row) => row * width), [batch]);
}

function countUpTo(g: GraphBuilder, sums: Value, target: Value): Value {
  return reduceSum(g, cast(g, compare(g, 'LessOrEqual', sums, target), 'float32'), [1]);
}

function lastOf(g: GraphBuilder, sums: Value): Value {
  const n = dimension(sums, 1);
  return slice(g, sums, 1, n - 1, n);
}

function smaller(g: GraphBuilder, a: Value, b: Value): Value {
  return g.node('Min', [a, b], a);
}
