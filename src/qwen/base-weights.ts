/**
 * The frozen base as it lies on the device, by precision, and how a graph computes with it. Sums are f32 whatever the precision, as is all
 * that is trained.
 *
 * - `f32`: nothing is done.
 * - `f16`: matrices in half precision, widened inside the graph that multiplies with them; norms and biases f32.
 * - `4-bit`: the seven projections of each block quantised (`four-bit.ts`), all else f32.
 */
import type { DType, GraphBuilder, Value } from '../onnx/graph.ts';
import { LARGEST_HALF, float16ToFloat32, float32ToFloat16 } from '../onnx/half-floats.ts';
import { cast } from '../onnx/ops/cast.ts';
import { gather } from '../onnx/ops/gather.ts';
import { gemm } from '../onnx/ops/gemm.ts';
import { BLOCK, matmul4bit } from '../onnx/ops/matmul-4bit.ts';
import type { HostData } from '../runtime/backend.ts';
import { PlaygroundError } from '../runtime/errors.ts';
import type { Precision, QwenConfig } from './config.ts';
import { dequantise, quantise } from './four-bit.ts';
import { PROJECTION_PATH, blockShapes, modelShapes, type Shapes } from './parameters.ts';

/** Types and shapes of device tensors by name. */
export type TensorTypes = Record<string, { dtype: DType; shape: readonly number[] }>;

/** The device tensors of one block by their names inside it. */
export function blockTensors(config: QwenConfig): TensorTypes {
  return stored(blockShapes(config), config.precision);
}

/** The device tensors of the whole base. */
export function modelTensors(config: QwenConfig): TensorTypes {
  return stored(modelShapes(config), config.precision);
}

/** What is trained: f32. */
export function floats(shapes: Shapes): TensorTypes {
  return Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [name, { dtype: 'float32', shape }]));
}

/** Declares one input a tensor. */
export function declare(g: GraphBuilder, tensors: TensorTypes): Record<string, Value> {
  return Object.fromEntries(Object.entries(tensors).map(([name, { dtype, shape }]) => [name, g.input(name, dtype, shape)]));
}

/** One tensor of a checkpoint, of the shape that the model has, as it is uploaded. Throws a PlaygroundError (`precision-range`) where f16 cannot hold it. */
export function hold(name: string, shape: readonly number[], data: Float32Array, precision: Precision): Record<string, { data: HostData; dims: readonly number[] }> {
  if (isPacked(name, precision)) {
    const [rows = 0, columns = 0] = shape;
    const { packed, scales } = quantise(data, rows, columns);
    const types = stored({ [name]: shape }, precision);
    const dims = (key: string): readonly number[] => types[key]?.shape ?? [];
    return {
      [packedName(name)]: { data: packed, dims: dims(packedName(name)) },
      [scalesName(name)]: { data: scales, dims: dims(scalesName(name)) },
    };
  }
  return { [name]: { data: isHalf(shape, precision) ? halves(name, data) : data, dims: shape } };
}

/** The numbers that a tensor of a checkpoint stands for once it is held; throws as `hold` does. */
export function rounded(name: string, shape: readonly number[], data: Float32Array, precision: Precision): Float32Array {
  const [rows = 0, columns = 0] = shape;
  if (isPacked(name, precision)) return dequantise(quantise(data, rows, columns), rows, columns);
  return isHalf(shape, precision) ? float16ToFloat32(halves(name, data)) : data;
}

/** x [tokens, in] · Wᵀ [+ bias] of the projection at `path`, however W lies there: [tokens, out]. */
export function baseProjection(g: GraphBuilder, x: Value, weights: Record<string, Value>, path: string): Value {
  const name = `${path}.weight`;
  const bias = weights[`${path}.bias`];
  const packed = weights[packedName(name)];
  const scales = weights[scalesName(name)];
  if (packed && scales) return matmul4bit(g, x, { packed, scales }, bias);
  const weight = weights[name];
  if (!weight) throw new Error(`there is no ${name}`);
  return dense(g, x, weight, bias);
}

/** x [tokens, in] · Wᵀ + bias for W [out, in] in f32 or f16: [tokens, out]. */
export function dense(g: GraphBuilder, x: Value, weight: Value, bias?: Value): Value {
  return gemm(g, x, cast(g, weight, 'float32'), { transB: true, c: bias });
}

/** Rows `ids` int32 [tokens] of the embedding [vocabulary, hidden]: f32 [tokens, hidden]. */
export function embed(g: GraphBuilder, table: Value, ids: Value): Value {
  return cast(g, gather(g, table, ids), 'float32');
}

function stored(shapes: Shapes, precision: Precision): TensorTypes {
  const types: TensorTypes = {};
  for (const [name, shape] of Object.entries(shapes)) {
    if (isPacked(name, precision)) {
      const [rows = 0, columns = 0] = shape;
      const blocks = Math.ceil(columns / BLOCK);
      types[packedName(name)] = { dtype: 'uint8', shape: [rows, blocks, BLOCK / 2] };
      types[scalesName(name)] = { dtype: 'float32', shape: [rows, blocks] };
    } else {
      types[name] = { dtype: isHalf(shape, precision) ? 'float16' : 'float32', shape };
    }
  }
  return types;
}

const PROJECTION_WEIGHTS = Object.values(PROJECTION_PATH).map((path) => `${path}.weight`);

function isPacked(name: string, precision: Precision): boolean {
  return precision === '4-bit' && PROJECTION_WEIGHTS.some((weight) => name.endsWith(weight));
}

function isHalf(shape: readonly number[], precision: Precision): boolean {
  return precision === 'f16' && shape.length === 2;
}

function packedName(name: string): string {
  return `${name}.packed`;
}

function scalesName(name: string): string {
  return `${name}.scales`;
}

function halves(name: string, data: Float32Array): Uint16Array {
  if (!data.every((number) => Math.abs(number) <= LARGEST_HALF)) {
    throw new PlaygroundError('precision-range', `${name} holds numbers that half precision cannot hold.`, 'Set the precision of the model to f32.');
  }
  return float32ToFloat16(data);
}
