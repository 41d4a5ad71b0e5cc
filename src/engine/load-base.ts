/** A checkpoint's tensors onto the device, one after the other: at no moment is more than one of them in f32 on the host. */
import { hold } from '../qwen/base-weights.ts';
import { parseQwenConfig, type Precision } from '../qwen/config.ts';
import { modelShapes } from '../qwen/parameters.ts';
import { disposeAll, type Backend, type DeviceTensor } from '../runtime/backend.ts';
import { PlaygroundError } from '../runtime/errors.ts';
import { Base } from './base.ts';
import type { Limits } from './limits.ts';

/** What loading needs of a repository. */
export interface ModelFiles {
  config: unknown;
  /** The named tensor in f32, row-major. */
  readTensor(name: string): Promise<{ dims: readonly number[]; data: Float32Array }>;
}

export interface LoadOptions {
  /** How the base is held; f32 unless given. */
  precision?: Precision;
  limits?: Limits | undefined;
}

/** Throws PlaygroundErrors for unsupported or mismatched checkpoints; nothing is then left on the device. */
export async function loadBase(backend: Backend, files: ModelFiles, { precision = 'f32', limits }: LoadOptions = {}): Promise<Base> {
  const config = parseQwenConfig(files.config, precision);
  const tensors = new Map<string, DeviceTensor>();
  try {
    for (const [name, shape] of Object.entries(modelShapes(config))) {
      const { dims, data } = await files.readTensor(name);
      if (dims.join() !== shape.join()) {
        throw new PlaygroundError(
          'checkpoint-mismatch',
          `The checkpoint's ${name} is of shape [${dims.join()}]; config.json asks for [${shape.join()}].`,
          'The files do not belong together: download the model again.',
        );
      }
      for (const [held, tensor] of Object.entries(hold(name, shape, data, precision))) {
        // A device that is full should not be asked for the rest.
        backend.check();
        tensors.set(held, backend.upload(tensor.data, tensor.dims, true));
      }
    }
    return new Base(backend, config, tensors, limits);
  } catch (error) {
    disposeAll(tensors.values());
    throw error;
  }
}
