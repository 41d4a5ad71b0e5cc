/** One training step of an adapter by the engine against the same step in jax-js, both on WASM. */
import { setFlagsFromString } from 'node:v8';
import type { LoraPolicy } from '../../src/engine/model.ts';
import type { TensorMap } from '../../src/engine/types.ts';
import type { PolicyBatch } from '../../src/marft/update-policy.ts';
import { modelShapes } from '../../src/qwen/parameters.ts';
import { parseQwenConfig } from '../../src/qwen/config.ts';
import type { Bench, BenchOptions } from './bench.ts';
import type { JaxTrainer } from './jax-step.ts';
import { checkAgreement, CLIP, learningBatch, randomized, STEP, stepOf, TEMPERATURE } from './policy-step.ts';
import { benchConfig, randomFiles, randomModel } from './random-model.ts';
import { ratios, spread, spreadCell, takeTurns } from './timing.ts';
import { wasmBackend } from './wasm.ts';
import { ADAPTER } from './workload.ts';

/** A batch as the default experiments have it, and a wider stack on longer sequences. */
const CASES = [
  { what: '3 layers, hidden 96', rows: 32, length: 64, config: benchConfig() },
  { what: '4 layers, hidden 256', rows: 8, length: 128, config: benchConfig({ hidden_size: 256, num_hidden_layers: 4, num_attention_heads: 4, num_key_value_heads: 2, intermediate_size: 768 }) },
];
const GOAL = 1.5;
/** Steps of both sides that must lead to the same adapter. */
const AGREEMENT_STEPS = 3;

type Case = (typeof CASES)[number];

export const TRAINING_BENCH: Bench = {
  name: 'training',
  summary: 'A LoRA training step against jax-js (WASM).',
  async run(options) {
    // What browsers have by default: with it jax-js multiplies and adds in one instruction.
    setFlagsFromString('--experimental-wasm-relaxed-simd');
    const rows = [];
    for (const one of CASES) rows.push(await measure(one, options));
    return [
      {
        title: 'A training step (forward, PPO loss, backward, AdamW), rank 8 on all projections: median (quartiles)',
        rows,
        notes: [
          'Node, WASM, one thread on both sides; half of each sequence is generated tokens. jax-js has relaxed SIMD, as in browsers.',
          `Both sides reach the same adapter in ${AGREEMENT_STEPS} steps, which is checked before anything is timed.`,
        ],
      },
    ];
  },
};

async function measure({ what, rows, length, config }: Case, { repetitions }: BenchOptions) {
  const model = await randomModel(await wasmBackend(), config);
  const policy = await model.createPolicy(ADAPTER, 1);
  await policy.restore(randomized(await policy.parameters()));
  const batch = await learningBatch(model, policy, rows, length);
  const jax = await inJax(config, policy, batch, rows, length);
  const ours = () => stepOf(policy, batch);
  const start = await policy.parameters();
  for (let step = 0; step < AGREEMENT_STEPS; step++) {
    await ours();
    await jax.step();
  }
  const theirs = await jax.parameters();
  checkAgreement(start, await policy.parameters(), (name) => theirs.get(name.replace('base_model.model.', '')));
  const times = await takeTurns({ ours, theirs: () => jax.step() }, repetitions);
  policy.dispose();
  model.dispose();
  return {
    stack: what,
    batch: `${rows} × ${length}`,
    'engine, ms': spreadCell(spread(times.ours)),
    'jax-js, ms': spreadCell(spread(times.theirs)),
    'times faster': spreadCell(spread(ratios(times.theirs, times.ours))),
    goal: GOAL,
  };
}

async function inJax(json: Record<string, unknown>, policy: LoraPolicy, { utterances, old, advantages }: PolicyBatch, batch: number, length: number): Promise<JaxTrainer> {
  // ONNX Runtime leaves Node's workers where browsers have theirs; jax-js would start some, and they are not the same.
  Reflect.deleteProperty(globalThis, 'Worker');
  const { JaxTrainer: Trainer } = await import('./jax-step.ts');
  const config = parseQwenConfig(json);
  const files = randomFiles(json);
  const base = new Map(await Promise.all(Object.keys(modelShapes(config)).map(async (name) => [name, await files.readTensor(name)] as const)));
  const adapter: TensorMap = new Map([...(await policy.parameters())].map(([name, tensor]) => [name.replace('base_model.model.', ''), tensor]));
  const settings = { config, lora: ADAPTER, batch, length, temperature: TEMPERATURE, clip: CLIP, learningRate: STEP.learningRate, maxGradNorm: STEP.maxGradNorm };
  return new Trainer(settings, { base, adapter, sequences: utterances, old: old.logprobs, advantages });
}
