/** A random model small enough for tests of the engine. */
import { loadLanguageModel, type QwenModel } from '../../../src/engine/model.ts';
import type { Limits } from '../../../src/engine/limits.ts';
import { sizeOf } from '../../../src/onnx/graph.ts';
import { parseQwenConfig, type Precision } from '../../../src/qwen/config.ts';
import { modelShapes } from '../../../src/qwen/parameters.ts';
import { Random } from '../../../src/random/random.ts';
import type { Backend } from '../../../src/runtime/backend.ts';
import { createNodeBackend } from '../../../src/runtime/node.ts';

export const TINY_CONFIG = {
  model_type: 'qwen2',
  hidden_size: 32,
  num_hidden_layers: 2,
  num_attention_heads: 2,
  num_key_value_heads: 1,
  intermediate_size: 48,
  vocab_size: 64,
  tie_word_embeddings: false,
  max_position_embeddings: 128,
};

/** `tensor` may give a tensor's numbers itself. */
export function tinyModel(
  tensor: (name: string, size: number) => Float32Array | null = () => null,
  backend: Backend = createNodeBackend(),
  limits?: Limits,
  precision: Precision = 'f32',
): Promise<QwenModel> {
  const shapes = modelShapes(parseQwenConfig(TINY_CONFIG));
  return loadLanguageModel(
    backend,
    {
      config: TINY_CONFIG,
      readTensor: (name) => {
        const dims = shapes[name] ?? [];
        const random = new Random(Object.keys(shapes).indexOf(name));
        const value = () => (name.endsWith('norm.weight') ? 1 : 0) + 0.3 * random.normal();
        const size = sizeOf(dims);
        return Promise.resolve({ dims, data: tensor(name, size) ?? Float32Array.from({ length: size }, value) });
      },
    },
    { limits, precision },
  );
}
