/** The trainer on a real, randomly initialised model of a few ten thousand parameters. */
import { describe, expect, it } from 'vitest';
import { loadLanguageModel, type QwenModel } from '../../../src/engine/model.ts';
import { at, mean } from '../../../src/marft/arrays.ts';
import { Random } from '../../../src/random/random.ts';
import type { MetricRow, TrainerEvent } from '../../../src/marft/records.ts';
import { Trainer } from '../../../src/marft/trainer.ts';
import { sizeOf } from '../../../src/onnx/graph.ts';
import { parseQwenConfig } from '../../../src/qwen/config.ts';
import { modelShapes } from '../../../src/qwen/parameters.ts';
import { createNodeBackend } from '../../../src/runtime/node.ts';
import type { Task } from '../../../src/tasks/types.ts';
import { algorithm, team, toyTokenizer } from './doubles.ts';

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

function randomModel(): Promise<QwenModel> {
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
const evenTask: Task = {
  name: 'even',
  description: 'Say characters with even codes.',
  chance: 0.5,
  train: (random) => ({ id: 'e', question: random.pick(['q', 'r', 's']), answer: '' }),
  heldOut: (count) => Array.from({ length: count }, (_, k) => ({ id: `h${k}`, question: 't', answer: '' })),
  verify: (_, answer) => {
    const even = [...answer].filter((character) => character.charCodeAt(0) % 2 === 0).length;
    return { reward: answer === '' ? 0 : even / answer.length, parts: {} };
  },
};

async function run(iterations: number): Promise<{ rows: MetricRow[]; events: TrainerEvent[]; trainer: Trainer }> {
  const events: TrainerEvent[] = [];
  const trainer = new Trainer(
    {
      name: 'even',
      seed: 3,
      task: evenTask,
      team: team([{ maxNewTokens: 2, profile: 'x' }, { maxNewTokens: 3, profile: 'y' }]),
      algorithm: algorithm({ learningRate: 0.02, epochs: 2, critic: { window: 2, epochs: 1 } }),
      schedule: { iterations, episodes: 24, evalEvery: 0, evalProblems: 0 },
    },
    { model: await randomModel(), tokenizer: toyTokenizer() },
    (event) => events.push(event),
  );
  await trainer.init();
  await trainer.run();
  const rows = events.flatMap((event) => (event.type === 'iteration' ? [event.metrics] : []));
  return { rows, events, trainer };
}

function timeless(events: readonly TrainerEvent[]): string {
  return JSON.stringify(events, (key, value: unknown) => (/^time\/|tok_per_s$/.test(key) ? undefined : value));
}

describe('the trainer on a real model', () => {
  it('raises the reward, and starts every agent on its base', { timeout: 120_000 }, async () => {
    const { rows } = await run(10);
    const rewards = rows.map((row) => row['reward/mean'] ?? 0);
    expect(mean(rewards.slice(-3))).toBeGreaterThan(mean(rewards.slice(0, 3)) + 0.15);
    expect(at(rows, 0)['agent-0/ref_kl']).toBeLessThan(1e-9);
    expect(at(rows, 9)['agent-1/ref_kl']).toBeGreaterThan(1e-4);
    for (const row of rows) expect(row['sampling/logp_diff_max']).toBeLessThan(1e-3);
  });

  it('computes the same numbers again, to the last bit', { timeout: 120_000 }, async () => {
    const [first, second] = [await run(2), await run(2)];
    expect(timeless(second.events)).toBe(timeless(first.events));
    const weights = await first.trainer.parameters();
    expect(await second.trainer.parameters()).toEqual(weights);
    expect([...weights.keys()]).toEqual(['agent-0', 'agent-1']);
  });
});
