/** How much goes through the model at once: by which memory is traded for fewer, larger runs and for time. */
import type { QwenConfig } from '../qwen/config.ts';

export interface Limits {
  /** Tokens of a batch, padding included, that go through the blocks at once; more are split by rows. */
  tokensAtOnce: number;
  /** Bytes that the logits of one chunk of the head may take, in f32. */
  headBytes: number;
  /** Whether blocks keep what they multiplied for the way back, instead of multiplying again. */
  keepProducts?: boolean;
  /** Whether a batch that goes back from where it was scored keeps its logits for it; only where it goes through in one part. */
  keepLogits?: boolean;
}

export const DEFAULT_LIMITS: Limits = { tokensAtOnce: 16_384, headBytes: 16 * 1024 * 1024, keepProducts: true, keepLogits: true };

/** Chunks of the head are multiples of this many tokens, so that few graphs are compiled. */
export const HEAD_STEP = 64;

/** Tokens whose logits are held at once. */
export function headTokens({ vocabSize }: QwenConfig, { headBytes }: Limits): number {
  return Math.max(HEAD_STEP, Math.floor(headBytes / (4 * vocabSize) / HEAD_STEP) * HEAD_STEP);
}
