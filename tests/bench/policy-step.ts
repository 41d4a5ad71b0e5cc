/** A training step of an adapter by the engine, on a batch that can be given to other programs, and what it must agree on with them. */
import type { LoraPolicy, QwenModel } from '../../src/engine/model.ts';
import type { TensorMap } from '../../src/engine/types.ts';
import { concat, splitLike } from '../../src/marft/arrays.ts';
import { objective } from '../../src/marft/objective.ts';
import type { PolicyBatch } from '../../src/marft/update-policy.ts';
import { Random } from '../../src/random/random.ts';
import { randomBatch } from './workload.ts';

export const TEMPERATURE = 1;
export const CLIP = 0.2;
export const STEP = { learningRate: 1e-3, weightDecay: 0, maxGradNorm: 1 };
const OBJECTIVE = { clipLow: CLIP, clipHigh: CLIP, entropyCoef: 0, klLossCoef: 0 };
/** The difference allowed between two adapters, relative to how far the steps lead: norms of both. */
const TOLERANCE = 1e-2;

/** An epoch of PPO as `update-policy.ts` takes it from the second one on; returns the loss before it. */
export async function stepOf(policy: LoraPolicy, { utterances, temperature, old, ref, advantages }: PolicyBatch): Promise<number> {
  const pass = await policy.open(utterances, temperature);
  const { logprobs, entropies } = pass.scores;
  const fixed = { oldLogprobs: concat(old.logprobs), refLogprobs: concat(ref), advantages: concat(advantages) };
  const now = objective({ ...fixed, newLogprobs: concat(logprobs), entropies: concat(entropies) }, OBJECTIVE);
  await pass.backward({ logprobs: splitLike(now.dLogprobs, logprobs), entropies: splitLike(now.dEntropies, logprobs) });
  await policy.step(STEP);
  return now.loss;
}

/** With every matrix random: a fresh adapter's B is zero, and so would A's gradient be. */
export function randomized(parameters: TensorMap): TensorMap {
  const random = new Random(6);
  return new Map([...parameters].map(([name, { dims, data }]) => [name, { dims, data: data.map(() => 0.05 * random.normal()) }]));
}

/** Random tokens whose old log-probs are another policy's, so that some ratios are clipped. */
export async function learningBatch(model: QwenModel, policy: LoraPolicy, rows: number, length: number): Promise<PolicyBatch> {
  const random = new Random(5);
  const utterances = randomBatch(model, rows, length);
  const now = await policy.score(utterances, TEMPERATURE);
  const old = { ...now, logprobs: now.logprobs.map((row) => row.map((logprob) => logprob + 0.2 * random.normal())) };
  const advantages = utterances.map(({ tokens }) => Float32Array.from(tokens, () => random.normal()));
  return { utterances, temperature: TEMPERATURE, old, ref: now.logprobs, advantages };
}

/**
 * `theirs` by the same names. Norms, not largest elements: AdamW's first steps are as large for a derivative of rounding errors as for any
 * other. Throws where the adapters differ by more than the tolerance; returns by how much they do.
 */
export function checkAgreement(start: TensorMap, ours: TensorMap, theirs: (name: string) => Float32Array | undefined): number {
  let change = 0;
  let difference = 0;
  for (const [name, { data }] of ours) {
    const other = theirs(name) ?? new Float32Array(0);
    data.forEach((value, i) => {
      change += (value - (start.get(name)?.data[i] ?? Number.NaN)) ** 2;
      difference += (value - (other[i] ?? Number.NaN)) ** 2;
    });
  }
  if (!(difference <= TOLERANCE ** 2 * change)) throw new Error(`the adapters differ by ${Math.sqrt(difference / change)} of their change`);
  return Math.sqrt(difference / change);
}
