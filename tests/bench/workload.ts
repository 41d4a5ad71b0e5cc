/** The two things that training spends its time on: generating a batch, and one update of an adapter on it. */
import type { LoraPolicy, QwenModel } from '../../src/engine/model.ts';
import type { TokenSequence } from '../../src/engine/types.ts';
import { splitLike } from '../../src/marft/arrays.ts';
import type { LoraSpec } from '../../src/qwen/lora.ts';
import { Random } from '../../src/random/random.ts';

/** The default experiments' adapter. */
export const ADAPTER: LoraSpec = {
  rank: 8,
  alpha: 16,
  targets: ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'],
  rslora: false,
};

const STEP = { learningRate: 1e-3, weightDecay: 0, maxGradNorm: 1 };

/** `rows` sequences of `length` tokens, the second half of them generated. */
export function randomBatch(model: QwenModel, rows: number, length: number, seed = 1): TokenSequence[] {
  const random = new Random(seed);
  const ids = (count: number): Int32Array => Int32Array.from({ length: count }, () => random.int(0, model.shared.config.vocabSize - 1));
  return Array.from({ length: rows }, () => ({ prompt: ids(length / 2), tokens: ids(length / 2) }));
}

/** Samples `maxNewTokens` tokens after each prompt; no token stops a row early. */
export function generateAll(policy: Pick<LoraPolicy, 'generate'>, batch: readonly TokenSequence[], maxNewTokens: number): Promise<unknown> {
  const random = new Random(2);
  const prompts = batch.map(({ prompt }) => prompt);
  return policy.generate(prompts, { maxNewTokens, temperature: 1, greedy: false, uniform: () => random.next(), stopIds: [], bannedIds: [] });
}

/** Forward, backward and AdamW on given derivatives: a step of PPO without its host-side arithmetic, which costs nothing beside it. */
export async function trainingStep(policy: LoraPolicy, batch: readonly TokenSequence[]): Promise<void> {
  const random = new Random(3);
  const tokens = batch.map((sequence) => sequence.tokens);
  const count = tokens.reduce((sum, row) => sum + row.length, 0);
  const derivatives = (): Float32Array[] => splitLike(Float32Array.from({ length: count }, () => random.normal() / count), tokens);
  await policy.backward(batch, 1, { logprobs: derivatives(), entropies: derivatives() });
  await policy.step(STEP);
}
