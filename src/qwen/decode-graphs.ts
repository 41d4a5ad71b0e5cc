/**
 * Decoding: a batch of ragged, right-padded prompts in, sampled tokens out. The prompt is one graph. What follows is an ONNX Loop of many
 * steps on the CPU backends, and a graph of one step on WebGPU; only ids and log-probs are read back.
 */
import { GraphBuilder, MICROSOFT, type Graph, type Value } from '../onnx/graph.ts';
import { add } from '../onnx/ops/add.ts';
import { cast } from '../onnx/ops/cast.ts';
import { compare } from '../onnx/ops/compare.ts';
import { expand } from '../onnx/ops/expand.ts';
import { gather } from '../onnx/ops/gather.ts';
import { mul } from '../onnx/ops/mul.ts';
import { reduceSum } from '../onnx/ops/reduce-sum.ts';
import { reshape } from '../onnx/ops/reshape.ts';
import { sub } from '../onnx/ops/sub.ts';
import { where } from '../onnx/ops/where.ts';
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

/** 0 for a row that has drawn a stop id, else 1: [batch]. */
function goesOn(d: Decoder, token: Value): Value {
  const { g, shape } = d;
  const ids = g.constant(Int32Array.from(shape.stopIds), [1, shape.stopIds.length]);
  const hits = cast(g, compare(g, 'Equal', reshape(g, token, [shape.batch, 1]), ids), 'float32');
  const none = compare(g, 'LessOrEqual', reshape(g, reduceSum(g, hits, [1]), [shape.batch]), g.scalar(0));
  return cast(g, none, 'float32');
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

/**
 * Many steps in one run, until `stop_at` rows or fewer are live. `token` int32 [batch] are the last ones drawn, `live` float32 [batch] is 1 for
 * rows that go on and 0 for others, `lengths` int32 [batch] are the prompts', `start` int32 [] counts the steps before, `uniforms` [steps, batch]
 * draw what comes. From step `settled` (int32 [], counted from the first) on, the run ends only with the last live row. `past.<i>` → `tokens`
 * int32 and `logprobs` float32, each [steps taken, batch], and `present.<i>`.
 */
export function loopGraph(config: QwenConfig, lora: LoraSpec | null, shape: DecodeShape): Graph {
  const g = new GraphBuilder('decode');
  const d = declare(g, config, lora, shape);
  const { batch } = shape;
  const steps = g.input('steps', 'int64', []);
  const uniforms = g.input('uniforms', 'float32', [-1, batch], ['steps']);
  const first = g.input('token', 'int32', [batch]);
  const live = g.input('live', 'float32', [batch]);
  const lengths = g.input('lengths', 'int32', [batch]);
  const start = g.input('start', 'int32', []);
  const stopAt = g.input('stop_at', 'float32', []);
  const settled = g.input('settled', 'int32', []);
  const caches = Array.from({ length: 2 * config.layers }, (_, i) => g.input(`past.${i}`, 'float32', cacheShape(d)));

  const body = g.body('steps');
  const step = body.input('step', 'int64', []);
  body.input('go_on', 'bool', []);
  const token = body.input('token_before', 'int32', [batch]);
  const liveBefore = body.input('live_before', 'float32', [batch]);
  const pasts = caches.map((_, i) => body.input(`cache.${i}`, 'float32', cacheShape(d)));
  const inner: Decoder = { ...d, g: body };
  const step32 = cast(body, step, 'int32');
  const place = add(body, start, step32);
  const total = add(body, place, body.scalar(shape.promptLength + 1, 'int32'));
  const { x, presents } = forward(inner, token, 1, pasts, add(body, lengths, place), total);
  const next = draw(inner, x, reshape(body, gather(body, uniforms, reshape(body, step32, [1])), [batch, 1]));
  const liveNow = mul(body, liveBefore, goesOn(inner, next.token));
  const enough = where(body, compare(body, 'Less', place, settled), stopAt, body.scalar(0));
  body.output('go_on_next', compare(body, 'Greater', reshape(body, reduceSum(body, liveNow, [0]), []), enough));
  body.output('token_next', next.token);
  body.output('live_next', liveNow);
  presents.forEach((present, i) => body.output(`cache_next.${i}`, present));
  body.output('token_scan', next.token);
  body.output('logprob_scan', next.logprob);

  const scan = { shape: [-1, batch] };
  const outputs = g.nodes(
    'Loop',
    [steps, null, first, live, ...caches],
    [first, live, ...caches, { dtype: 'int32', ...scan }, { dtype: 'float32', ...scan }],
    { body: { graph: body.finish() } },
  );
  const [tokens, logprobs] = outputs.slice(-2);
  if (!tokens || !logprobs) throw new Error('the loop yields tokens and log-probs');
  g.output('tokens', tokens, ['steps']);
  g.output('logprobs', logprobs, ['steps']);
  outputs.slice(2, -2).forEach((present, i) => g.output(`present.${i}`, present));
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

/** One step: `token` int32 [batch] and `past.<i>` → the next `next_token`, `logprob` and `present.<i>`. */
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

/** Rows `index` int32 [to] of every cache: `past.<i>` [from, …] → `present.<i>` [to, …], for any number of rows. */
export function takeRowsGraph(config: QwenConfig, length: number): Graph {
  const g = new GraphBuilder('take rows');
  const index = g.input('index', 'int32', [-1], ['to']);
  const cached = [-1, config.kvHeads, length, config.headDim];
  for (let i = 0; i < 2 * config.layers; i++) {
    const past = g.input(`past.${i}`, 'float32', cached, ['from']);
    g.output(`present.${i}`, g.node('Gather', [past, index], { dtype: 'float32', shape: cached }, { axis: { int: 0 } }), ['to']);
  }
  return g.finish();
}
