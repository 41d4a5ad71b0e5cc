/**
 * What the algorithm sees of a model: policies (the shared base under one adapter each) and value functions. Nothing here
 * names a runtime. All log-probs and entropies are in nats, at the temperature given.
 */
import type { LoraSpec } from '../qwen/lora.ts';

/** A prompt followed by generated tokens; only the latter are scored. */
export interface TokenSequence {
  prompt: Int32Array;
  /** Generated ids, the stop token included when it was generated; may be empty. */
  tokens: Int32Array;
}

/** A whole transcript of which some prefixes are valued: `positions[k]` is the index of the last token of prefix k. */
export interface ValuedSequence {
  ids: Int32Array;
  positions: Int32Array;
}

export interface GenerateOptions {
  maxNewTokens: number;
  temperature: number;
  /** Take the likeliest token instead of sampling. */
  greedy: boolean;
  /** The uniform number in [0, 1) that draws token `position` of row `row`. Ignored when greedy. */
  uniform: (row: number, position: number) => number;
  /** A row ends with the first of these. */
  stopIds: readonly number[];
  /** Never drawn, however likely; at least one id must remain. */
  bannedIds: readonly number[];
  /** Leaves the likeliest tokens alone to be drawn. Absent, or ignored when greedy: all. */
  truncation?: Truncation | undefined;
  /** Hears of each row's new tokens and their log-probs as they come, its stop token included; asking for it makes tokens come in shorter runs. */
  onTokens?: ((row: number, tokens: readonly number[], logprobs: readonly number[]) => void) | undefined;
  /** Ends the generation between two of its runs, with a PlaygroundError (`generation-stopped`). A worker takes messages in between them. */
  signal?: AbortSignal | undefined;
}

/**
 * What of a distribution may be drawn, applied in this order. Tokens within 0.00002 nats of each other count as equally likely and are kept
 * or cut together; what is 24 nats less likely than the likeliest is cut with the first two.
 */
export interface Truncation {
  /** Only the k likeliest tokens; 0: all. */
  topK: number;
  /** Only the likeliest tokens that together reach this probability, at least one; 1: all. */
  topP: number;
  /** Only tokens at least this many times as likely as the likeliest; 0: all. */
  minP: number;
}

export interface Generation {
  /** Ids up to and including the stop token, or `maxNewTokens` ids without one. */
  tokens: Int32Array;
  /** Log-prob of each token as the decoding graph computed it, of the whole distribution: nothing banned, nothing cut off. */
  logprobs: Float32Array;
  /** True when no stop token was reached. */
  truncated: boolean;
}

/** Per sequence, per generated token. As cotangents: dL/dlogprob and dL/dentropy. */
export interface TokenScores {
  logprobs: Float32Array[];
  entropies: Float32Array[];
}

export interface StepOptions {
  learningRate: number;
  weightDecay: number;
  maxGradNorm: number;
}

export interface StepResult {
  /** Norm of the gradient before clipping. */
  gradNorm: number;
  /** False when the gradient was not finite: nothing was changed. */
  applied: boolean;
}

/** Parameters, moments and counters of one trained thing by name, on the host, in f32. */
export type TensorMap = Map<string, { dims: number[]; data: Float32Array }>;

export interface Trainable {
  /** Applies the gradients accumulated since the last step with AdamW, and clears them. */
  step(options: StepOptions): Promise<StepResult>;
  /** Forgets accumulated gradients. */
  zeroGrad(): Promise<void>;
  /** Euclidean norm of all parameters. */
  norm(): Promise<number>;
  /** Parameters by name; a policy's names are PEFT's (`base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight`). */
  parameters(): Promise<TensorMap>;
  /** Parameters, both AdamW moments and the step counter, for a checkpoint. */
  state(): Promise<TensorMap>;
  /** Puts back what `state` returned; throws a PlaygroundError when names or shapes differ. */
  restore(state: TensorMap): Promise<void>;
  dispose(): void;
}

/** A batch that has been scored and whose way back is still open, until it is gone, closed, or the weights change. */
export interface OpenPass {
  scores: TokenScores;
  /** As `Policy.backward` for the same batch, without going forward again; closes the pass. */
  backward(cotangents: TokenScores): Promise<void>;
  /** Gives back what the pass holds; once is enough. */
  close(): void;
}

export interface Policy extends Trainable {
  generate(prompts: readonly Int32Array[], options: GenerateOptions): Promise<Generation[]>;
  score(batch: readonly TokenSequence[], temperature: number): Promise<TokenScores>;
  /** Scores a batch and keeps what going back needs, where the batch goes through the model in one part. */
  open(batch: readonly TokenSequence[], temperature: number): Promise<OpenPass>;
  /** Adds the gradient of L to the accumulated one, given L's derivatives by each token's log-prob and entropy. */
  backward(batch: readonly TokenSequence[], temperature: number, cotangents: TokenScores): Promise<void>;
}

export interface ValueFunction extends Trainable {
  /** Values per sequence, per position. */
  values(batch: readonly ValuedSequence[]): Promise<Float32Array[]>;
  backward(batch: readonly ValuedSequence[], cotangents: readonly Float32Array[]): Promise<void>;
}

/** What the frozen base makes of a transcript, at each valued position. */
export interface TranscriptReading {
  /** Hidden states of several depths side by side, [positions · width], row-major. */
  states: Float32Array;
  width: number;
  /** Log-prob of the token at each position given the tokens before it, at temperature 1; 0 at a sequence's start. */
  logprobs: Float32Array;
}

export interface LanguageModel {
  /** Reads whole transcripts with the base alone. */
  read(batch: readonly ValuedSequence[]): Promise<TranscriptReading[]>;
  /** The frozen base without any adapter. Cannot be stepped. */
  readonly base: Pick<Policy, 'generate' | 'score'>;
  /** A fresh adapter (A random, B zero, so that the policy starts as the base). */
  createPolicy(adapter: LoraSpec, seed: number): Promise<Policy>;
  createValueFunction(adapter: LoraSpec | null, seed: number): Promise<ValueFunction>;
  /** Bytes held on the device now. */
  deviceBytes(): number;
  dispose(): void;
}
