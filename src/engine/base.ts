/** The frozen base on the device: one copy for every agent, the critic, decoding and training. */
import { sizeOf } from '../onnx/graph.ts';
import { blockTensors } from '../qwen/base-weights.ts';
import type { QwenConfig } from '../qwen/config.ts';
import { FINAL_NORM, blockTensor, modelShapes } from '../qwen/parameters.ts';
import { rotaryTables } from '../qwen/rope.ts';
import { headWeight } from '../qwen/training-graphs.ts';
import { disposeAll, type Backend, type DeviceTensor, type TensorRecord } from '../runtime/backend.ts';
import { DEFAULT_LIMITS, type Limits } from './limits.ts';
import { Programs } from './programs.ts';

/** Longest sequence that rotary tables are made for, in tokens: tables of 4,096 rows cost half a megabyte at head size 64. */
const MAX_POSITIONS = 4096;

/** Rows of the rotary tables. */
export function positionsOf(config: QwenConfig): number {
  return Math.min(config.maxPositions, MAX_POSITIONS);
}

export class Base extends Programs {
  /** Rows of the rotary tables. */
  readonly positions: number;
  /** Numbers that the model consists of, whatever its precision. */
  readonly parameters: number;
  readonly #tensors: Map<string, DeviceTensor>;
  readonly #rope: { 'rope.cos': DeviceTensor; 'rope.sin': DeviceTensor };

  /** Takes over `tensors`: all that `modelTensors` names (`load-base.ts`). */
  constructor(
    backend: Backend,
    readonly config: QwenConfig,
    tensors: Map<string, DeviceTensor>,
    readonly limits: Limits = DEFAULT_LIMITS,
  ) {
    super(backend);
    this.#tensors = tensors;
    this.positions = positionsOf(config);
    this.parameters = Object.values(modelShapes(config)).reduce((sum, shape) => sum + sizeOf(shape), 0);
    const { cos, sin } = rotaryTables(config, this.positions);
    const dims = [this.positions, config.headDim / 2];
    this.#rope = { 'rope.cos': backend.upload(cos, dims, true), 'rope.sin': backend.upload(sin, dims, true) };
  }

  /** The named tensors as inputs. */
  named(...names: string[]): TensorRecord {
    return Object.fromEntries(names.map((name) => [name, this.#tensor(name)]));
  }

  /** One block's tensors by their names inside the block, with the rotary tables. */
  block(layer: number): TensorRecord {
    const inner = Object.keys(blockTensors(this.config));
    return { ...this.#rope, ...Object.fromEntries(inner.map((name) => [name, this.#tensor(blockTensor(layer, name))])) };
  }

  /** Every tensor under its full name, with the rotary tables. */
  all(): TensorRecord {
    return { ...this.#rope, ...Object.fromEntries(this.#tensors) };
  }

  /** Final norm and output matrix. */
  head(): TensorRecord {
    return this.named(FINAL_NORM, headWeight(this.config));
  }

  override dispose(): void {
    super.dispose();
    disposeAll(this.#tensors.values());
    disposeAll(Object.values(this.#rope));
  }

  #tensor(name: string): DeviceTensor {
    const tensor = this.#tensors.get(name);
    if (!tensor) throw new Error(`the base has no ${name}`);
    return tensor;
  }
}
