/**
 * One case per differentiable operator: how to apply it and to what. The unit tests compare each derivative with finite differences on
 * Node; the browser tests run the very same graphs on WASM and WebGPU and compare with Node's results.
 */
import { Random } from '../../src/random/random.ts';
import { gradients } from '../../src/onnx/autodiff.ts';
import { GraphBuilder, sizeOf, type Graph, type Value } from '../../src/onnx/graph.ts';
import { add } from '../../src/onnx/ops/add.ts';
import { cast } from '../../src/onnx/ops/cast.ts';
import { concat } from '../../src/onnx/ops/concat.ts';
import { div } from '../../src/onnx/ops/div.ts';
import { exp } from '../../src/onnx/ops/exp.ts';
import { expand } from '../../src/onnx/ops/expand.ts';
import { gather } from '../../src/onnx/ops/gather.ts';
import { gemm } from '../../src/onnx/ops/gemm.ts';
import { log } from '../../src/onnx/ops/log.ts';
import { logSoftmax } from '../../src/onnx/ops/log-softmax.ts';
import { matmul4bit } from '../../src/onnx/ops/matmul-4bit.ts';
import { matmul } from '../../src/onnx/ops/matmul.ts';
import { mul } from '../../src/onnx/ops/mul.ts';
import { neg } from '../../src/onnx/ops/neg.ts';
import { reduceMean } from '../../src/onnx/ops/reduce-mean.ts';
import { reduceSum } from '../../src/onnx/ops/reduce-sum.ts';
import { reshape } from '../../src/onnx/ops/reshape.ts';
import { rmsNorm } from '../../src/onnx/ops/rms-norm.ts';
import { rotary } from '../../src/onnx/ops/rotary.ts';
import { selectRows } from '../../src/onnx/ops/select-rows.ts';
import { sigmoid } from '../../src/onnx/ops/sigmoid.ts';
import { silu } from '../../src/onnx/ops/silu.ts';
import { slice } from '../../src/onnx/ops/slice.ts';
import { softmax } from '../../src/onnx/ops/softmax.ts';
import { sqrt } from '../../src/onnx/ops/sqrt.ts';
import { sub } from '../../src/onnx/ops/sub.ts';
import { tanh } from '../../src/onnx/ops/tanh.ts';
import { transpose } from '../../src/onnx/ops/transpose.ts';
import { where } from '../../src/onnx/ops/where.ts';
import { compare } from '../../src/onnx/ops/compare.ts';

export interface OperatorCase {
  name: string;
  /** Shapes of the differentiable inputs. */
  inputs: number[][];
  /** Keeps every input element positive and away from zero. */
  positive?: boolean;
  apply(g: GraphBuilder, inputs: Value[]): Value;
}

/** x [3, width] times a packed matrix [5, width]; a width that no whole number of blocks makes up ends inside its last one. */
function packedCase(width: number): OperatorCase {
  return {
    name: `matmul4bit of ${width} columns`,
    inputs: [[3, width]],
    apply: (g, inputs) => {
      const blocks = Math.ceil(width / 32);
      const random = new Random(17, width);
      const packed = g.constant(Uint8Array.from({ length: 5 * blocks * 16 }, () => Math.floor(256 * random.next())), [5, blocks, 16]);
      const scales = g.constant(Float32Array.from({ length: 5 * blocks }, () => 0.1 * random.normal()), [5, blocks]);
      return matmul4bit(g, operand(inputs, 0), { packed, scales }, g.constant(Float32Array.of(1, 2, 3, 4, 5), [5]));
    },
  };
}

/** The operand at a place; a case that asks for more than it declares is a fault in the case. */
function operand(inputs: readonly Value[], i: number): Value {
  const value = inputs[i];
  if (!value) throw new RangeError(`the case declares no input ${i}`);
  return value;
}

const unary = (name: string, op: (g: GraphBuilder, x: Value) => Value, positive = false): OperatorCase => ({
  name,
  inputs: [[3, 4]],
  positive,
  apply: (g, inputs) => op(g, operand(inputs, 0)),
});

const binary = (name: string, op: (g: GraphBuilder, a: Value, b: Value) => Value, a: number[], b: number[], positive = false): OperatorCase => ({
  name: `${name} [${a.join()}] [${b.join()}]`,
  inputs: [a, b],
  positive,
  apply: (g, inputs) => op(g, operand(inputs, 0), operand(inputs, 1)),
});

const gemmCase = (transA: boolean, transB: boolean, c: number[] | null): OperatorCase => ({
  name: `gemm transA=${transA} transB=${transB} c=${c ? `[${c.join()}]` : 'none'}`,
  inputs: [transA ? [4, 3] : [3, 4], transB ? [5, 4] : [4, 5], ...(c ? [c] : [])],
  apply: (g, inputs) => gemm(g, operand(inputs, 0), operand(inputs, 1), { transA, transB, alpha: 0.7, c: c ? operand(inputs, 2) : undefined }),
});

/** [positions, size/2] tables of a rotation by position · (i + 1) / 3. */
function angles(g: GraphBuilder, positions: number, half: number): { cos: Value; sin: Value } {
  const angle = Array.from({ length: positions * half }, (_, i) => (Math.floor(i / half) * ((i % half) + 1)) / 3);
  return {
    cos: g.constant(Float32Array.from(angle, Math.cos), [positions, half]),
    sin: g.constant(Float32Array.from(angle, Math.sin), [positions, half]),
  };
}

export const OPERATOR_CASES: readonly OperatorCase[] = [
  binary('add', add, [3, 4], [3, 4]),
  binary('add', add, [3, 4], [4]),
  binary('add', add, [2, 1, 4], [3, 1]),
  binary('sub', sub, [3, 4], [3, 1]),
  binary('mul', mul, [3, 4], [3, 4]),
  binary('mul', mul, [2, 3, 4], [4]),
  binary('div', div, [3, 4], [3, 1], true),
  unary('neg', neg),
  unary('exp', exp),
  unary('log', log, true),
  unary('sqrt', sqrt, true),
  unary('sigmoid', sigmoid),
  unary('silu', silu),
  unary('tanh', tanh),
  unary('softmax', softmax),
  unary('logSoftmax', logSoftmax),
  unary('reduceSum over axis 0', (g, x) => reduceSum(g, x, [0])),
  unary('reduceMean over the last axis', (g, x) => reduceMean(g, x, [-1])),
  unary('reshape', (g, x) => reshape(g, x, [2, 6])),
  unary('transpose', (g, x) => transpose(g, x, [1, 0])),
  unary('expand', (g, x) => expand(g, reshape(g, x, [3, 1, 4]), [3, 2, 4])),
  unary('slice', (g, x) => slice(g, x, 1, 1, 3)),
  unary('cast', (g, x) => cast(g, x, 'float32')),
  unary('where', (g, x) => where(g, compare(g, 'Greater', x, g.scalar(0.5)), x, mul(g, x, x))),
  { name: 'concat', inputs: [[3, 2], [3, 4]], apply: (g, inputs) => concat(g, inputs, 1) },
  binary('matmul', matmul, [2, 3, 4], [2, 4, 5]),
  packedCase(64),
  packedCase(40),
  gemmCase(false, false, null),
  gemmCase(false, true, [5]),
  gemmCase(true, false, [3, 5]),
  gemmCase(true, true, null),
  binary('rmsNorm', (g, x, w) => rmsNorm(g, x, w, 1e-5), [3, 8], [8]),
  {
    name: 'gather with a repeated row',
    inputs: [[4, 3]],
    apply: (g, inputs) => gather(g, operand(inputs, 0), g.constant(Int32Array.of(2, 0, 2), [3])),
  },
  {
    name: 'selectRows',
    inputs: [[4, 3]],
    apply: (g, inputs) => selectRows(g, operand(inputs, 0), g.constant(Int32Array.of(3, 1), [2]), g.constant(Int32Array.of(2, 1, 2, 0), [4])),
  },
  {
    name: 'rotary',
    inputs: [[2, 2, 3, 16]],
    apply: (g, inputs) => {
      const { cos, sin } = angles(g, 4, 8);
      return rotary(g, operand(inputs, 0), cos, sin);
    },
  },
];

/** The forward graph alone: inputs `x0`, `x1`, … and output `y`. */
export function forwardGraph(operator: OperatorCase): { graph: Graph; shape: readonly number[] } {
  const g = new GraphBuilder('operator');
  const y = operator.apply(g, operator.inputs.map((shape, i) => g.input(`x${i}`, 'float32', shape)));
  g.output('y', y);
  return { graph: g.finish(), shape: y.shape };
}

/** Inputs `x0`, …, `dy`; outputs `y`, `d0`, …. */
export function backwardGraph(operator: OperatorCase): Graph {
  const g = new GraphBuilder('operator-backward');
  const inputs = operator.inputs.map((shape, i) => g.input(`x${i}`, 'float32', shape));
  const y = operator.apply(g, inputs);
  g.output('y', y);
  gradients(g, [{ value: y, cotangent: g.input('dy', 'float32', y.shape) }], inputs).forEach((d, i) => g.output(`d${i}`, d));
  return g.finish();
}

/** Inputs and a cotangent for the case, always the same. */
export function operands(operator: OperatorCase): { inputs: Float32Array[]; dy: Float32Array } {
  const { shape } = forwardGraph(operator);
  const numbers = (key: number, size: number, positive: boolean) => {
    const random = new Random(11, key);
    return Float32Array.from({ length: size }, () => (positive ? 0.5 + random.next() : random.normal()));
  };
  return {
    inputs: operator.inputs.map((dims, i) => numbers(i, sizeOf(dims), operator.positive ?? false)),
    dy: numbers(99, sizeOf(shape), false),
  };
}
