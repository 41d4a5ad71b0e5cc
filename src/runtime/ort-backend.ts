/** The one implementation of `Backend`, over whichever build of ONNX Runtime it is given. */
import type { Env, InferenceSession, Tensor, TensorConstructor, InferenceSessionFactory } from 'onnxruntime-common';
import { BYTES_PER_ELEMENT, type DType } from '../onnx/graph.ts';
import type { Backend, BackendKind, DeviceLimits, DeviceTensor, HostData, Program, TensorRecord } from './backend.ts';
import { isOutOfMemory, outOfMemory } from './device-errors.ts';
import { PlaygroundError } from './errors.ts';
import type { WatchedDevice } from './gpu-device.ts';

/** The part of onnxruntime-web and onnxruntime-node that is used here. */
export interface Ort {
  env: Env;
  InferenceSession: InferenceSessionFactory;
  Tensor: TensorConstructor;
}

export interface OrtBackendOptions {
  kind: BackendKind;
  executionProviders: InferenceSession.ExecutionProviderConfig[];
  /** Threads that an operator may have; one unless given. */
  threads?: number;
  /** Called whenever tensors of so many bytes have been disposed; where memory goes back only once their owner's garbage is collected. */
  garbage?: { bytes: number; collect: () => void };
  /** The device that ONNX Runtime was told to use; WebGPU only. */
  device?: WatchedDevice;
}

const HOST_TYPES = ['float32', 'float16', 'int32', 'int64', 'uint8', 'bool'] as const;
type HostType = (typeof HOST_TYPES)[number];

const DEVICE_WORDS: Record<BackendKind, string> = { cpu: 'This computer', wasm: 'This page', webgpu: 'The graphics processor' };

/** What ONNX Runtime says when its own .mjs or .wasm did not arrive, whatever the graph. */
const RUNTIME_MISSING = /no available backend found|failed to fetch dynamically imported module|both async and sync fetching of the wasm failed/i;

/**
 * Numbers in a model's largest matrix from which on a second thread gives more than it costs in hand-over. One thread besides makes sums
 * independent of the machine.
 */
const LARGE_MATRIX = 2 ** 18;

/** What 32 bits can address: inputs, outputs and all in between of a run lie in one memory. */
const WASM_BYTES = 2 ** 32;

/** A processor is not lost. */
const NEVER = new Promise<never>(() => undefined);

class OrtTensor implements DeviceTensor {
  readonly dims: readonly number[];
  readonly dtype: DType;
  readonly bytes: number;
  #disposed = false;

  constructor(
    readonly tensor: Tensor,
    private readonly account: Account,
    private readonly release: () => void,
  ) {
    this.dims = tensor.dims;
    this.dtype = hostType(tensor.type);
    this.bytes = tensor.size * BYTES_PER_ELEMENT[this.dtype];
    account.bytes += this.bytes;
    account.tensors += 1;
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.account.bytes -= this.bytes;
    this.account.tensors -= 1;
    this.release();
    this.account.freed(this.bytes);
  }
}

interface Account {
  bytes: number;
  tensors: number;
  freed: (bytes: number) => void;
}

export class OrtBackend implements Backend {
  readonly kind: BackendKind;
  readonly lost: Promise<PlaygroundError>;
  readonly limits: DeviceLimits;
  readonly halfPrecision: boolean;
  readonly #account: Account = { bytes: 0, tensors: 0, freed: (bytes) => this.#freed(bytes) };
  /** Bytes disposed since garbage was last collected. */
  #garbage = 0;
  #threads = 1;
  #compiled = false;

  constructor(
    private readonly ort: Ort,
    private readonly options: OrtBackendOptions,
  ) {
    this.kind = options.kind;
    this.lost = options.device?.lost ?? NEVER;
    this.limits = { total: options.kind === 'wasm' ? WASM_BYTES : Infinity, tensor: options.device?.tensorBytes ?? Infinity };
    this.halfPrecision = options.kind !== 'webgpu' || (options.device?.device.features.has('shader-f16') ?? false);
  }

  suit(largestMatrix: number): number {
    const fixed = this.kind === 'wasm' && this.#compiled;
    if (!fixed) this.#threads = largestMatrix < LARGE_MATRIX ? 1 : (this.options.threads ?? 1);
    return this.#threads;
  }

  async compile(model: Uint8Array, name: string): Promise<Program> {
    this.#compiled = true;
    // On WASM threads are the environment's, which reads this once, before the first session.
    if (this.kind === 'wasm') this.ort.env.wasm.numThreads = this.#threads;
    let session: InferenceSession;
    try {
      session = await this.#watch(() => this.ort.InferenceSession.create(model, this.#sessionOptions()));
    } catch (cause) {
      if (cause instanceof PlaygroundError) throw cause;
      if (RUNTIME_MISSING.test(messageOf(cause))) {
        throw new PlaygroundError(
          'runtime-missing',
          'The files of ONNX Runtime, which does the computing, could not be loaded.',
          'Check the network and reload the page; if it happens again, the site was published without its "ort" folder.',
          { cause },
        );
      }
      if (isOutOfMemory(messageOf(cause))) throw outOfMemory(DEVICE_WORDS[this.kind], `for the graph "${name}"`, cause);
      throw new PlaygroundError(
        'graph-refused',
        `The ${this.kind} backend could not build the graph "${name}": ${messageOf(cause)}`,
        'Choose another backend, or a smaller batch or model, and reload the page.',
        { cause },
      );
    }
    return {
      run: (inputs, into) => this.#run(session, name, inputs, into),
      dispose: () => void session.release(),
    };
  }

  upload(data: HostData, dims: readonly number[], resident = false): DeviceTensor {
    const { device } = this.options;
    if (resident && device) return this.#uploadTo(device, data, dims);
    const tensor = new this.ort.Tensor(typeOf(data), data as Float32Array, dims);
    return new OrtTensor(tensor, this.#account, () => tensor.dispose());
  }

  async read(tensor: DeviceTensor): Promise<HostData> {
    const data = await this.#watch(() => ortTensor(tensor).getData());
    if (Array.isArray(data)) throw new TypeError('string tensors are not used here');
    return data as HostData;
  }

  check(): void {
    this.options.device?.check();
  }

  liveBytes(): number {
    return this.#account.bytes;
  }

  liveTensors(): number {
    return this.#account.tensors;
  }

  async #run(session: InferenceSession, name: string, inputs: TensorRecord, into?: TensorRecord): Promise<TensorRecord> {
    const feeds: Record<string, Tensor> = {};
    for (const [key, tensor] of Object.entries(inputs)) feeds[key] = ortTensor(tensor);
    // Null is an output for which the runtime makes a tensor.
    const fetches = into && Object.fromEntries(session.outputNames.map((output) => [output, into[output] ? ortTensor(into[output]) : null]));
    let results: InferenceSession.OnnxValueMapType;
    try {
      results = await this.#watch(() => (fetches ? session.run(feeds, fetches) : session.run(feeds)));
    } catch (cause) {
      if (cause instanceof PlaygroundError) throw cause;
      if (isOutOfMemory(messageOf(cause))) throw outOfMemory(DEVICE_WORDS[this.kind], `for the graph "${name}"`, cause);
      throw new PlaygroundError(
        'run-failed',
        `The graph "${name}" failed on the ${this.kind} backend: ${messageOf(cause)}`,
        'Reset the run; if it happens again, use fewer episodes or shorter answers, or another backend.',
        { cause },
      );
    }
    const outputs: TensorRecord = {};
    for (const [key, value] of Object.entries(results)) {
      const tensor = value as Tensor;
      outputs[key] = into?.[key] ?? new OrtTensor(tensor, this.#account, () => tensor.dispose());
    }
    return outputs;
  }

  #uploadTo(device: WatchedDevice, data: HostData, dims: readonly number[]): DeviceTensor {
    const gpuBuffer = device.upload(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    const dataType = typeOf(data);
    const { byteLength } = data;
    const tensor = this.ort.Tensor.fromGpuBuffer(gpuBuffer, {
      dataType,
      dims,
      // ONNX Runtime reads back its own outputs only; a buffer made here has to bring its way home.
      download: async () => hostData(dataType, await device.download(gpuBuffer, byteLength)),
    });
    return new OrtTensor(tensor, this.#account, () => gpuBuffer.destroy());
  }

  #freed(bytes: number): void {
    const { garbage } = this.options;
    this.#garbage += bytes;
    if (!garbage || this.#garbage < garbage.bytes) return;
    this.#garbage = 0;
    garbage.collect();
  }

  /** Work that may fail with the device, if there is one. */
  #watch<T>(work: () => Promise<T>): Promise<T> {
    return this.options.device?.watch(work) ?? work();
  }

  #sessionOptions(): InferenceSession.SessionOptions {
    const common: InferenceSession.SessionOptions = {
      executionProviders: this.options.executionProviders,
      // 3 = errors: ONNX Runtime's own warnings are about nodes it places on the CPU by design.
      logSeverityLevel: 3,
    };
    if (this.kind === 'webgpu') return { ...common, preferredOutputLocation: 'gpu-buffer' };
    // Without the arena, memory goes back after each run instead of growing with the largest shape seen.
    if (this.kind === 'cpu') {
      return { ...common, intraOpNumThreads: this.#threads, interOpNumThreads: 1, enableCpuMemArena: false };
    }
    return common;
  }
}

function hostData(type: HostType, bytes: ArrayBuffer): HostData {
  switch (type) {
    case 'float32':
      return new Float32Array(bytes);
    case 'float16':
      return new Uint16Array(bytes);
    case 'int32':
      return new Int32Array(bytes);
    case 'int64':
      return new BigInt64Array(bytes);
    case 'uint8':
    case 'bool':
      return new Uint8Array(bytes);
  }
}

function ortTensor(tensor: DeviceTensor): Tensor {
  if (!(tensor instanceof OrtTensor)) throw new TypeError('the tensor belongs to another backend');
  return tensor.tensor;
}

function typeOf(data: HostData): HostType {
  if (data instanceof Float32Array) return 'float32';
  if (data instanceof Uint16Array) return 'float16';
  if (data instanceof Int32Array) return 'int32';
  if (data instanceof BigInt64Array) return 'int64';
  return 'uint8';
}

function hostType(type: string): HostType {
  const found = HOST_TYPES.find((name) => name === type);
  if (!found) throw new TypeError(`tensors of type ${type} are not used here`);
  return found;
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
