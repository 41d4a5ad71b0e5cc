/** Models of any shape with random weights: what they say is noise, what they cost is not. */
import type { ModelFiles } from '../../src/engine/load-base.ts';
import { loadLanguageModel, type QwenModel } from '../../src/engine/model.ts';
import { sizeOf } from '../../src/onnx/graph.ts';
import { parseQwenConfig, type Precision } from '../../src/qwen/config.ts';
import { modelShapes } from '../../src/qwen/parameters.ts';
import { Random } from '../../src/random/random.ts';
import type { Backend } from '../../src/runtime/backend.ts';

/** A `config.json` of Qwen2; its numbers are those of marft-tiny where none is given. */
export function benchConfig(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    model_type: 'qwen2',
    hidden_size: 96,
    num_hidden_layers: 3,
    num_attention_heads: 3,
    num_key_value_heads: 1,
    intermediate_size: 256,
    vocab_size: 421,
    tie_word_embeddings: true,
    max_position_embeddings: 1024,
    ...changes,
  };
}

export function randomFiles(config: Record<string, unknown>): ModelFiles {
  const shapes = modelShapes(parseQwenConfig(config));
  const names = Object.keys(shapes);
  return {
    config,
    readTensor: (name) => {
      const dims = shapes[name] ?? [];
      const random = new Random(names.indexOf(name));
      const value = (): number => (name.endsWith('norm.weight') ? 1 : 0) + 0.1 * random.normal();
      return Promise.resolve({ dims, data: Float32Array.from({ length: sizeOf(dims) }, value) });
    },
  };
}

export function randomModel(backend: Backend, config: Record<string, unknown>, precision: Precision = 'f32'): Promise<QwenModel> {
  return loadLanguageModel(backend, randomFiles(config), { precision });
}
