/** A real, randomly initialised model of a few ten thousand parameters, and a task that it can learn. */
import { loadLanguageModel, type QwenModel } from '../../../src/engine/model.ts';
import { sizeOf } from '../../../src/onnx/graph.ts';
import { parseQwenConfig } from '../../../src/qwen/config.ts';
import { modelShapes } from '../../../src/qwen/parameters.ts';
import { Random } from '../../../src/random/random.ts';
import { createNodeBackend } from '../../../src/runtime/node.ts';
import type { Task } from '../../../src/tasks/types.ts';

const CONFIG = {
  model_type: 'qwen2',
  hidden_size: 32,
  num_hidden_layers: 2,
  num_attention_heads: 2,
  intermediate_size: 48,
  vocab_size: 100,
  tie_word_embeddings: false,
  max_position_embeddings: 128,
};

export function randomModel(): Promise<QwenModel> {
  const shapes = modelShapes(parseQwenConfig(CONFIG));
  return loadLanguageModel(createNodeBackend(), {
    config: CONFIG,
    readTensor: (name) => {
      const dims = shapes[name] ?? [];
      const random = new Random(Object.keys(shapes).indexOf(name));
      // The head is frozen; with small weights it could not prefer any character clearly.
      const deviation = name.includes('lm_head') ? 0.3 : 0.1;
      const value = (): number => (name.endsWith('norm.weight') ? 1 : 0) + deviation * random.normal();
      return Promise.resolve({ dims, data: Float32Array.from({ length: sizeOf(dims) }, value) });
    },
  });
}

/** The more of the answer's characters have an even code, the better: half of them by chance. */
export const evenTask: Task = {
  name: 'even',
  description: 'Say characters with even codes.',
  chance: 0.5,
  parts: [],
  train: (random) => ({ id: 'e', question: random.pick(['q', 'r', 's']), answer: '' }),
  heldOut: (count) => Array.from({ length: count }, (_, k) => ({ id: `h${k}`, question: 't', answer: '' })),
  verify: (_, answer) => {
    const even = [...answer].filter((character) => character.charCodeAt(0) % 2 === 0).length;
    return { reward: answer === '' ? 0 : even / answer.length, parts: {} };
  },
};
