/** A model in the files that transformers.js loads: a graph, and its weights in f32 beside it. */
import { sizeOf, type ExternalPlace } from '../onnx/graph.ts';
import { serialize } from '../onnx/serialize.ts';
import { causalLmGraph, constantShapes, rotaryConstants } from '../qwen/causal-lm-graph.ts';
import type { QwenConfig } from '../qwen/config.ts';
import { PlaygroundError } from '../runtime/errors.ts';

/** Where transformers.js looks, in a model's folder. */
export const ONNX_FOLDER = 'onnx';
export const ONNX_MODEL = 'model.onnx';
export const ONNX_WEIGHTS = 'model.onnx_data';

/** What `config.json` has to say beside the architecture: there is one precision, and the weights are in a file of their own. */
export const ONNX_CONFIG = { 'transformers.js_config': { dtype: 'fp32', use_external_data_format: true } } as const;

const FLOAT = 4;

export interface OnnxModel {
  /** The bytes of `model.onnx`. */
  model: Uint8Array;
  /** The content of `model.onnx_data`, in order. */
  weights: Float32Array[];
}

/** Throws a PlaygroundError (`checkpoint-mismatch`) when a tensor of the configuration is missing or of another size. */
export function onnxModel(config: QwenConfig, tensors: ReadonlyMap<string, { data: Float32Array }>): OnnxModel {
  const rotary = rotaryConstants(config);
  const places = new Map<string, ExternalPlace>();
  const weights: Float32Array[] = [];
  let offset = 0;
  for (const [name, shape] of Object.entries(constantShapes(config))) {
    const data = rotary[name] ?? tensors.get(name)?.data;
    if (data?.length !== sizeOf(shape)) {
      throw new PlaygroundError('checkpoint-mismatch', `The checkpoint's ${name} is not what config.json asks for.`, 'The files do not belong together: download the model again.');
    }
    const length = FLOAT * data.length;
    places.set(name, { file: ONNX_WEIGHTS, offset, length });
    weights.push(data);
    offset += length;
  }
  const placeOf = (name: string): ExternalPlace => {
    const place = places.get(name);
    if (!place) throw new Error(`${name} has no place`);
    return place;
  };
  return { model: serialize(causalLmGraph(config, placeOf)), weights };
}
