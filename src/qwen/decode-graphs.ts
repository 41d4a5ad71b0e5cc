/**
 * Decoding: a batch of ragged, right-padded prompts in, sampled tokens out. On the CPU backends a whole generation is one graph
 * (prompt, then an ONNX Loop that decodes and samples); on WebGPU prompt and step are two graphs and only ids come back.
 */
import { GraphBuilder, MICROSOFT, type Graph, type Value } from '../onnx/graph.ts';
import { add } from '../onnx/ops/add.ts';
import { cast } from '../onnx/ops/cast.ts';
import { compare } from '../onnx/ops/compare.ts';
import { expand } from '../onnx/ops/expand.ts';
import { gather } from '../onnx/ops/gather.ts';
import { any, not, or } from '../onnx/ops/logic.ts';
import { reduceSum } from '../onnx/ops/reduce-sum.ts';
import { reshape } from '../onnx/ops/reshape.ts';
import { sub } from '../onnx/ops/sub.ts';
import { blockTensors, declare as declareTensors, dense, embed, floats, type TensorTypes } from './base-weights.ts';
import { decoderBlock, type BlockWeights, type QueriesKeysValues } from './block.ts';
import type { QwenConfig } from './config.ts';
import { loraShapes, type LoraSpec } from './lora.ts';
import { EMBEDDING, FINAL_NORM, blockTensor } from './parameters.ts';
import { drawToken, samplingInputs, type SamplingInputs, type SamplingSteps } from './sampling.ts';
import { baseTensor, headWeight, rotaryInputs } from './training-graphs.ts';
import { rmsNorm } from '../onnx/ops/rms-norm.ts';

export interface DecodeShape {
  batch: number;
  /** Tokens of the longest prompt, padding included. */
  promptLength: number;
  maxNewTokens: number;
  /** Rows of the rotary tables; at least promptLength + maxNewTokens. */
  positions: number;
  sampling: SamplingSteps;
  stopIds: readonly number[];
}

/** The name of an adapter tensor among the inputs of a whole-model graph. */
export function adapterInput(layer: number, name: string): string {
  return `lora.${layer}.${name}`;
}

interface Decoder {
  g: GraphBuilder;
  config: QwenConfig;
  lora: LoraSpec | null;
  shape: DecodeShape;
  table: Value;
  norm: Value;
  head: Value;
  blocks: BlockWeights[];
  cos: Value;
  sin: Value;
  sampling: SamplingInputs;
}

/** Key then value cache of every layer, each [batch, kvHeads, promptLength + maxNewTokens, headDim]. */
type Caches = Value[];

function declare(g: GraphBuilder, config: QwenConfig, lora: LoraSpec | null, shape: DecodeShape): Decoder {
  const table = baseTensor(g, config, EMBEDDING);
  const rename = (tensors: TensorTypes, name: (inner: string) => string) => {
    const renamed = Object.fromEntries(Object.entries(tensors).map(([inner, type]) => [name(inner), type]));
    const values = declareTensors(g, renamed);
    return Object.fromEntries(Object.keys(tensors).flatMap((inner) => pair(inner, values[name(inner)])));
  };
  const blocks = Array.from({ length: config.layers }, (_, layer) => ({
    ...rename(blockTensors(config), (inner) => blockTensor(layer, inner)),
    ...(lora ? rename(floats(loraShapes(config, lora)), (inner) => adapterInput(layer, inner)) : {}),
  }));
  return {
    g,
    config,
    lora,
    shape,
    table,
    norm: baseTensor(g, config, FINAL_NORM),
    head: config.tieWordEmbeddings ? table : baseTensor(g, config, headWeight(config)),
    blocks,
    ...rotaryInputs(g, config, shape.positions),
    sampling: samplingInputs(g, config.vocabSize, shape.sampling),
  };
}

function pair(name: string, value: Value | undefined): [string, Value][] {
  return value ? [[name, value]] : [];
}

function cacheShape({ config, shape }: Decoder): number[] {
  return [shape.batch, config.kvHeads, shape.promptLength + shape.maxNewTokens, config.headDim];
}

/**
 * `ids` int32 [batch·length] through all blocks. `lastIndex` int32 [batch] is each row's last position after these tokens (length
 * so far − 1), `total` int32 [] the longest length so far.
 */
function forward(d: Decoder, ids: Value, length: number, caches: Caches, lastIndex: Value, total: Value) {
  const { g, config, shape } = d;
  const presents: Caches = [];
  let x = embed(g, d.table, ids);
  d.blocks.forEach((weights, layer) => {
    const attend = ({ q, k, v }: QueriesKeysValues): Value => {
      const rows = (value: Value) => reshape(g, value, [shape.batch, length, (value.shape[1] ?? 0)]);
      const past = caches.slice(2 * layer, 2 * layer + 2);
      const cached = { dtype: 'float32' as const, shape: cacheShape(d) };
      const [attended, key, value] = g.nodes(
        'GroupQueryAttention',
        [rows(q), rows(k), rows(v), ...past, lastIndex, total, d.cos, d.sin],
        [{ dtype: 'float32', shape: [shape.batch, length, q.shape[1] ?? 0] }, cached, cached],
        { num_heads: { int: config.heads }, kv_num_heads: { int: config.kvHeads }, do_rotary: { int: 1 } },
        MICROSOFT,
      );
      if (!attended || !key || !value) throw new Error('attention has three outputs');
      presents.push(key, value);
      return reshape(g, attended, q.shape);
    };
    x = decoderBlock(g, config, x, weights, d.lora, attend);
  });
  return { x, presents };
}

/** Draws one token a row from hidden [batch, hidden]: ids int32 [batch] and their log-probs [batch]. */
function draw(d: Decoder, hidden: Value, uniform: Value): { token: Value; logprob: Value } {
  const { g, config, shape } = d;
  const logits = dense(g, rmsNorm(g, hidden, d.norm, config.rmsNormEps), d.head);
  return drawToken(g, logits, uniform, shape.sampling.greedy, d.sampling);
}

function isStop(d: Decoder, token: Value): Value {
  const { g, shape } = d;
  const ids = g.constant(Int32Array.from(shape.stopIds), [1, shape.stopIds.length]);
  const hits = cast(g, compare(g, 'Equal', reshape(g, token, [shape.batch, 1]), ids), 'float32');
  return compare(g, 'Greater', reshape(g, reduceSum(g, hits, [1]), [shape.batch]), g.scalar(0));
}

/** The prompt's pass: from `ids` int32 [batch·promptLength] and `lengths` int32 [batch] to the first token and filled caches. */
function prompt(d: Decoder, uniform: Value) {
  const { g, shape, config } = d;
  const ids = g.input('ids', 'int32', [shape.batch * shape.promptLength]);
  const lengths = g.input('lengths', 'int32', [shape.batch]);
  const zeros = expand(g, g.scalar(0), cacheShape(d));
  const empty = Array.from({ length: 2 * config.layers }, () => zeros);
  const lastIndex = sub(g, lengths, g.scalar(1, 'int32'));
  const { x, presents } = forward(d, ids, shape.promptLength, empty, lastIndex, g.scalar(shape.promptLength, 'int32'));
  const starts = g.constant(
    Int32Array.from({ length: shape.batch }, (_, row) => row * shape.promptLength),
    [shape.batch],
  );
  const last = gather(g, x, add(g, starts, lastIndex));
  return { lengths, presents, ...draw(d, last, uniform) };
}

/** One whole generation. → `tokens` int32 and `logprobs` float32, each [steps, batch], steps ≤ maxNewTokens; step 0 comes as `first…`. */
export function generateGraph(config: QwenConfig, lora: LoraSpec | null, shape: DecodeShape): Graph {
  const g = new GraphBuilder('generate');
  const d = declare(g, config, lora, shape);
  const uniforms = g.input('uniforms', 'float32', [shape.maxNewTokens, shape.batch]);
  const uniformAt = (builder: GraphBuilder, step: Value) =>
    reshape(builder, gather(builder, uniforms, step), [shape.batch, 1]);
  const first = prompt(d, uniformAt(g, g.constant(Int32Array.of(0), [1])));
  g.output('first_token', first.token);
  g.output('first_logprob', first.logprob);
  if (shape.maxNewTokens === 1) return g.finish();

  const body = g.body('decode');
  const step = body.input('step', 'int64', []);
  body.input('go_on', 'bool', []);
  const token = body.input('token', 'int32', [shape.batch]);
  const finished = body.input('finished', 'bool', [shape.batch]);
  const pasts = first.presents.map((_, i) => body.input(`past.${i}`, 'float32', cacheShape(d)));
  const inner: Decoder = { ...d, g: body };
  const step32 = cast(body, step, 'int32');
  const lastIndex = add(body, first.lengths, step32);
  const total = add(body, step32, body.scalar(shape.promptLength + 1, 'int32'));
  const { x, presents } = forward(inner, token, 1, pasts, lastIndex, total);
  const next = draw(inner, x, uniformAt(body, reshape(body, add(body, step32, body.scalar(1, 'int32')), [1])));
  const nowFinished = or(body, finished, isStop(inner, next.token));
  body.output('go_on_next', any(body, not(body, nowFinished)));
  body.output('token_next', next.token);
  body.output('finished_next', nowFinished);
  presents.forEach((present, i) => body.output(`present.${i}`, present));
  body.output('token_scan', next.token);
  body.output('logprob_scan', next.logprob);

  const firstFinished = isStop(d, first.token);
  const outputs = g.nodes(
    'Loop',
    [
      g.scalar(shape.maxNewTokens - 1, 'int64'),
      any(g, not(g, firstFinished)),
      first.token,
      firstFinished,
      ...first.presents,
    ],
    [
      first.token,
      firstFinished,
      ...first.presents,
      { dtype: 'int32', shape: [-1, shape.batch] },
      { dtype: 'float32', shape: [-1, shape.batch] },
    ],
    { body: { graph: body.finish() } },
  );
  const [tokens, logprobs] = outputs.slice(-2);
  if (!tokens || !logprobs) throw new Error('the loop yields tokens and log-probs');
  g.output('tokens', tokens);
  g.output('logprobs', logprobs);
  return g.finish();
}

/** Prompt alone: → `token`, `logprob` [batch] and `present.<i>`. `uniform` is [batch, 1]. */
export function promptGraph(config: QwenConfig, lora: LoraSpec | null, shape: DecodeShape): Graph {
  const g = new GraphBuilder('prompt');
  const d = declare(g, config, lora, shape);
  const { token, logprob, presents } = prompt(d, g.input('uniform', 'float32', [shape.batch, 1]));
  g.output('token', token);
  g.output('logprob', logprob);
  presents.forEach((present, i) => g.output(`present.${i}`, present));
  return g.finish();
}

/** One step: `token` int32 [batch] and `past.<i>` → the next `next_token`, `logprob` and `present.<i>`. `step` counts from 0. */
export function stepGraph(config: QwenConfig, lora: LoraSpec | null, shape: DecodeShape): Graph {
  const g = new GraphBuilder('step');
  const d = declare(g, config, lora, shape);
  const token = g.input('token', 'int32', [shape.batch]);
  const lastIndex = g.input('last_index', 'int32', [shape.batch]);
  const total = g.input('total', 'int32', []);
  const uniform = g.input('uniform', 'float32', [shape.batch, 1]);
  const pasts = Array.from({ length: 2 * config.layers }, (_, i) => g.input(`past.${i}`, 'float32', cacheShape(d)));
  const { x, presents } = forward(d, token, 1, pasts, lastIndex, total);
  const next = draw(d, x, uniform);
  g.output('next_token', next.token);
  g.output('logprob', next.logprob);
  presents.forEach((present, i) => g.output(`present.${i}`, present));
  return g.finish();
}
