/** One LoRA training step at the size of Qwen2.5-0.5B by the engine, on Node's CPU, against the same step in PyTorch and PEFT on the same cores. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openFolder } from '../../src/checkpoint/folder-source.ts';
import { adapterFiles } from '../../src/checkpoint/peft.ts';
import { openWeights, readConfig } from '../../src/checkpoint/repository.ts';
import { readSafetensors } from '../../src/checkpoint/safetensors.ts';
import { openBackend } from '../../src/cli/backend.ts';
import { loadLanguageModel } from '../../src/engine/model.ts';
import type { TensorMap } from '../../src/engine/types.ts';
import { LORA_TARGETS } from '../../src/marft/settings.ts';
import type { PolicyBatch } from '../../src/marft/update-policy.ts';
import { parseQwenConfig } from '../../src/qwen/config.ts';
import type { Bench, BenchOptions } from './bench.ts';
import { checkAgreement, CLIP, learningBatch, randomized, STEP, stepOf, TEMPERATURE } from './policy-step.ts';
import { PythonSide } from './python-side.ts';
import { ratios, spread, spreadCell, takeTurns } from './timing.ts';
import { ADAPTER } from './workload.ts';

const ROWS = 8;
const LENGTH = 128;
const GOAL = 1;
/** Steps of both sides that must lead to the same adapter, and the difference allowed between their losses. */
const AGREEMENT_STEPS = 2;
const LOSS_TOLERANCE = 1e-4;
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export const PYTORCH_BENCH: Bench = {
  name: 'pytorch',
  summary: 'A LoRA training step of the size of Qwen2.5-0.5B against PyTorch and PEFT (CPU).',
  needsPython: true,
  async run(options) {
    const { row, lossDifference, adapterDifference } = await measure(options);
    return [
      {
        title: 'A training step (forward, PPO loss, backward, AdamW), Qwen2.5-0.5B with random weights, rank 8 on all projections: median (quartiles)',
        rows: [row],
        notes: [
          `f32, ${availableParallelism()} threads on both sides; half of each sequence is generated tokens, and both compute logits of those only.`,
          `After ${AGREEMENT_STEPS} steps of each, before anything is timed: losses differ by ${lossDifference.toExponential(1)} at most, the adapters by ${adapterDifference.toExponential(1)} of their change.`,
        ],
      },
    ];
  },
};

async function measure({ repetitions, python = 'python3', scratch }: BenchOptions) {
  const folder = join(scratch, 'qwen2.5-0.5b');
  if (!existsSync(join(folder, 'tokenizer.json'))) {
    mkdirSync(scratch, { recursive: true });
    execFileSync(python, [join(ROOT, 'tests/reference/large_repository.py'), folder], { stdio: 'inherit' });
  }
  const source = openFolder(folder);
  const { backend } = await openBackend('cpu');
  const config = await readConfig(source);
  const { hiddenSize, intermediateSize } = parseQwenConfig(config);
  // As a session does it: all cores for a model of this size.
  const threads = backend.suit(hiddenSize * intermediateSize);
  if (threads !== availableParallelism()) throw new Error(`the engine would run with ${threads} threads`);
  const model = await loadLanguageModel(backend, { config, ...(await openWeights(source)) });
  const policy = await model.createPolicy(ADAPTER, 1);
  await policy.restore(randomized(await policy.parameters()));
  const batch = await learningBatch(model, policy, ROWS, LENGTH);
  const start = await policy.parameters();
  const place = mkdtempSync(join(scratch, 'step-'));
  const theirs = await inPython(python, folder, place, start, batch);
  try {
    let lossDifference = 0;
    for (let step = 0; step < AGREEMENT_STEPS; step++) {
      const difference = Math.abs((await stepOf(policy, batch)) - Number((await theirs.ask('step'))['loss']));
      if (!(difference <= LOSS_TOLERANCE)) throw new Error(`the losses differ by ${difference}`);
      lossDifference = Math.max(lossDifference, difference);
    }
    const file = join(place, 'after.safetensors');
    await theirs.ask(`adapter ${file}`);
    const reached = readSafetensors(readFileSync(file));
    const adapterDifference = checkAgreement(start, await policy.parameters(), (name) => reached.get(name)?.data);
    const times = await takeTurns({ ours: () => stepOf(policy, batch), pytorch: () => theirs.ask('step') }, repetitions);
    const row = {
      batch: `${ROWS} × ${LENGTH}`,
      'engine, ms': spreadCell(spread(times.ours)),
      'PyTorch, ms': spreadCell(spread(times.pytorch)),
      'times faster': spreadCell(spread(ratios(times.pytorch, times.ours))),
      goal: GOAL,
    };
    return { row, lossDifference, adapterDifference };
  } finally {
    theirs.close();
    policy.dispose();
    model.dispose();
    rmSync(place, { recursive: true });
  }
}

/** Ready to step from the same adapter on the same batch. */
async function inPython(python: string, model: string, place: string, adapter: TensorMap, { utterances, old, advantages }: PolicyBatch): Promise<PythonSide> {
  const lora = { ...ADAPTER, targets: LORA_TARGETS.filter((target) => ADAPTER.targets.includes(target)) };
  for (const [file, content] of adapterFiles(adapter, lora, model)) writeFileSync(join(place, file), content);
  const settings = {
    threads: availableParallelism(),
    learning_rate: STEP.learningRate,
    max_grad_norm: STEP.maxGradNorm,
    temperature: TEMPERATURE,
    clip: CLIP,
    generated: LENGTH / 2,
    ids: utterances.map(({ prompt, tokens }) => [...prompt, ...tokens]),
    old: old.logprobs.map((row) => [...row]),
    advantages: advantages.map((row) => [...row]),
  };
  const file = join(place, 'batch.json');
  writeFileSync(file, JSON.stringify(settings));
  const side = new PythonSide(python, [join(ROOT, 'tests/bench/pytorch_step.py'), model, place, file]);
  await side.answer();
  return side;
}
