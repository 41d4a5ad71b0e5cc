/**
 * Where graphs run. A backend compiles serialised graphs and holds tensors; the three of them (Node's CPU, WASM, WebGPU)
 * are one class over three builds of ONNX Runtime.
 */
import type { DType } from '../onnx/graph.ts';
import type { PlaygroundError } from './errors.ts';

export type BackendKind = 'cpu' | 'wasm' | 'webgpu';
/** Data on the host; a Uint16Array holds the bits of float16. */
export type HostData = Float32Array | Uint16Array | Int32Array | BigInt64Array | Uint8Array;

/** Which backend runs, in words for a user. */
export interface BackendInfo {
  kind: BackendKind;
  /** Short words for a badge, e.g. "WASM, 1 thread". */
  label: string;
  /** Why this backend was chosen, a full sentence. */
  reason: string;
  /** What the user can do to get a faster one, a full sentence; empty when nothing. */
  remedy: string;
}

/** What a device allows, in bytes; Infinity where it does not say. */
export interface DeviceLimits {
  /** Of everything together. */
  total: number;
  /** Of one tensor. */
  tensor: number;
}

/** A tensor where the backend computes: host memory, or a GPU buffer. Whoever made it disposes it. */
export interface DeviceTensor {
  readonly dims: readonly number[];
  readonly dtype: DType;
  readonly bytes: number;
  dispose(): void;
}

export type TensorRecord = Record<string, DeviceTensor>;

export interface Program {
  /** Runs the graph. Outputs are new tensors that the caller owns, but for those that are to be written `into` a tensor that is there. */
  run(inputs: TensorRecord, into?: TensorRecord): Promise<TensorRecord>;
  dispose(): void;
}

/** Every method but `liveBytes` and `liveTensors` may throw a PlaygroundError: `device-lost`, and then always, or `device-out-of-memory`. */
export interface Backend {
  readonly kind: BackendKind;
  /** Resolves when the device is gone, with the error that is thrown from then on; of a processor never. */
  readonly lost: Promise<PlaygroundError>;
  readonly limits: DeviceLimits;
  /** Whether graphs may hold float16; a GPU may lack it. */
  readonly halfPrecision: boolean;
  /**
   * Fits the number of threads to a model whose largest matrix has so many numbers, and returns it. Until then there is one. On WASM it stays
   * what it was when the first graph was compiled.
   */
  suit(largestMatrix: number): number;
  /** Throws a PlaygroundError with code `graph-refused` when the runtime cannot build the graph. */
  compile(model: Uint8Array, name: string): Promise<Program>;
  /**
   * A tensor of float32, float16, int32, int64 or uint8 data. `resident` places it in device memory for many uses; whether it found room
   * there is told later, by any other method.
   */
  upload(data: HostData, dims: readonly number[], resident?: boolean): DeviceTensor;
  /** Copies a tensor to the host. */
  read(tensor: DeviceTensor): Promise<HostData>;
  /** Throws if something asked for earlier has failed since. */
  check(): void;
  /** Bytes of all tensors that have not been disposed. */
  liveBytes(): number;
  /** Number of such tensors. */
  liveTensors(): number;
}

/** Reads a float32 tensor; throws when it is of another type. */
export async function readFloats(backend: Backend, tensor: DeviceTensor): Promise<Float32Array> {
  const data = await backend.read(tensor);
  if (!(data instanceof Float32Array)) throw new TypeError(`expected float32, got ${tensor.dtype}`);
  return data;
}

/** Disposes every tensor of a record. */
export function disposeAll(tensors: Iterable<DeviceTensor>): void {
  for (const tensor of tensors) tensor.dispose();
}

/** The named tensor; throws when a program did not produce it. */
export function pick(tensors: TensorRecord, name: string): DeviceTensor {
  const tensor = tensors[name];
  if (!tensor) throw new Error(`there is no tensor named ${name}`);
  return tensor;
}
