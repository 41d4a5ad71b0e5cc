/** A Qwen decoder's shape, read from a Hugging Face `config.json`, and the precision in which it is held. */
import { z } from 'zod';
import { PlaygroundError } from '../runtime/errors.ts';

// Zod would compile validators with `new Function`, which the page's content-security policy forbids.
z.config({ jitless: true });

/** How the frozen base's weights are held on the device; `base-weights.ts` says what each means. */
export const PRECISIONS = ['f32', 'f16', '4-bit'] as const;
export type Precision = (typeof PRECISIONS)[number];

export interface QwenConfig {
  modelType: 'qwen2' | 'qwen3';
  hiddenSize: number;
  layers: number;
  heads: number;
  /** Key/value heads; `heads / kvHeads` query heads share one. */
  kvHeads: number;
  headDim: number;
  intermediateSize: number;
  vocabSize: number;
  rmsNormEps: number;
  ropeTheta: number;
  /** Longest sequence that positions are made for, in tokens. */
  maxPositions: number;
  tieWordEmbeddings: boolean;
  /** Not the checkpoint's: it is converted when it is loaded. */
  precision: Precision;
}

const size = z.int().positive();
const document = z.object({
  model_type: z.string(),
  hidden_size: size,
  num_hidden_layers: size,
  num_attention_heads: size,
  num_key_value_heads: size.optional(),
  head_dim: size.nullish(),
  intermediate_size: size,
  vocab_size: size,
  rms_norm_eps: z.number().positive().default(1e-6),
  rope_theta: z.number().positive().optional(),
  rope_parameters: z.object({ rope_theta: z.number().positive(), rope_type: z.string().optional() }).nullish(),
  rope_scaling: z.unknown().optional(),
  max_position_embeddings: size.default(4096),
  tie_word_embeddings: z.boolean().default(false),
  use_sliding_window: z.boolean().default(false),
  /** By layer, in newer files. */
  layer_types: z.array(z.string()).nullish(),
  architectures: z.array(z.string()).nullish(),
  quantization_config: z.unknown().optional(),
  dual_chunk_attention_config: z.unknown().optional(),
  hidden_act: z.string().default('silu'),
  /** Qwen3 only: Qwen2 has biases whatever this says. */
  attention_bias: z.boolean().default(false),
});

const CAUSAL: ReadonlySet<string> = new Set(['Qwen2ForCausalLM', 'Qwen3ForCausalLM']);

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Throws a PlaygroundError (`model-unsupported`) that names what does not fit. */
export function parseQwenConfig(json: unknown, precision: Precision = 'f32'): QwenConfig {
  const refuse = (message: string, cause?: unknown): never => {
    throw new PlaygroundError('model-unsupported', message, 'Choose a dense Qwen2, Qwen2.5 or Qwen3 model.', { cause });
  };
  const parsed = document.safeParse(json);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return refuse(`config.json is not a decoder's: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}.`, parsed.error);
  }
  const config = parsed.data;
  const { model_type: modelType } = config;
  if (modelType !== 'qwen2' && modelType !== 'qwen3') return refuse(`The architecture "${modelType}" is not supported.`);
  const foreign = config.architectures?.find((name) => !CAUSAL.has(name));
  if (foreign !== undefined) return refuse(`A ${foreign.replace(/\W/g, '').slice(0, 60)} does not continue texts.`);
  if (isThere(config.quantization_config)) return refuse('Checkpoints that are quantised already are not supported: this program quantises by itself.');
  if (config.use_sliding_window) return refuse('Sliding-window attention is not supported.');
  const attention = config.layer_types?.find((type) => type !== 'full_attention');
  if (attention !== undefined || isThere(config.dual_chunk_attention_config)) return refuse('Only layers that attend to all that came before are supported.');
  if (config.hidden_act !== 'silu') return refuse(`The activation "${config.hidden_act}" is not supported.`);
  if (modelType === 'qwen3' && config.attention_bias) return refuse('A Qwen3 model with biases is not supported.');
  const ropeType = config.rope_parameters?.rope_type ?? 'default';
  if (ropeType !== 'default' || (config.rope_scaling ?? null) !== null) return refuse('Scaled rotary positions are not supported.');
  const heads = config.num_attention_heads;
  const kvHeads = config.num_key_value_heads ?? heads;
  const headDim = config.head_dim ?? config.hidden_size / heads;
  if (heads % kvHeads !== 0) return refuse(`${heads} query heads cannot share ${kvHeads} key/value heads evenly.`);
  if (!Number.isInteger(headDim) || headDim % 16 !== 0) return refuse(`A head size of ${headDim} is not a multiple of 16.`);
  return {
    modelType,
    hiddenSize: config.hidden_size,
    layers: config.num_hidden_layers,
    heads,
    kvHeads,
    headDim,
    intermediateSize: config.intermediate_size,
    vocabSize: config.vocab_size,
    rmsNormEps: config.rms_norm_eps,
    ropeTheta: config.rope_theta ?? config.rope_parameters?.rope_theta ?? 10_000,
    maxPositions: config.max_position_embeddings,
    tieWordEmbeddings: config.tie_word_embeddings,
    precision,
  };
}
