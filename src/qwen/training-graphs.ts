/**
 * The graphs of scoring and training: embedding, one block forwards, one block backwards (recomputing itself from its
 * input, or from what it kept), and the head over chunks of generated tokens. Blocks share their graphs; the weights are inputs.
 */
import { gradients } from '../onnx/autodiff.ts';
import { GraphBuilder, type Graph, type Value } from '../onnx/graph.ts';
import { add } from '../onnx/ops/add.ts';
import { gather } from '../onnx/ops/gather.ts';
import { mul } from '../onnx/ops/mul.ts';
import { rmsNorm } from '../onnx/ops/rms-norm.ts';
import { spreadRows } from '../onnx/ops/select-rows.ts';
import { tokenScores } from '../onnx/ops/token-scores.ts';
import { handedOver, restrict } from '../onnx/partition.ts';
import { blockTensors, declare, dense, embed, floats, modelTensors } from './base-weights.ts';
import { decoderBlock } from './block.ts';
import { causalAttention } from './causal-attention.ts';
import type { QwenConfig } from './config.ts';
import { loraShapes, type LoraSpec } from './lora.ts';
import { EMBEDDING, FINAL_NORM, UNTIED_HEAD } from './parameters.ts';

export interface SequenceShape {
  batch: number;
  /** Tokens a row, padding included. */
  length: number;
}

export function rotaryInputs(g: GraphBuilder, config: QwenConfig, positions: number): { cos: Value; sin: Value } {
  const shape = [positions, config.headDim / 2];
  return { cos: g.input('rope.cos', 'float32', shape), sin: g.input('rope.sin', 'float32', shape) };
}

/** `ids` int32 [rows] → `x` [rows, hidden]. */
export function embedGraph(config: QwenConfig, rows: number): Graph {
  const g = new GraphBuilder('embed');
  g.output('x', embed(g, baseTensor(g, config, EMBEDDING), g.input('ids', 'int32', [rows])));
  return g.finish();
}

/** `x` [batch·length, hidden] → `y`, with one block's weights and adapter as inputs. */
export function blockForwardGraph(config: QwenConfig, lora: LoraSpec | null, shape: SequenceShape, positions: number): Graph {
  const g = new GraphBuilder('block-forward');
  const { y } = block(g, config, lora, shape, positions);
  g.output('y', y);
  return g.finish();
}

/**
 * `x` and `dy` → `d.<name>` for the adapter's tensors, and `dx` unless this is the lowest block, below which nothing is trained.
 */
export function blockBackwardGraph(
  config: QwenConfig,
  lora: LoraSpec,
  shape: SequenceShape,
  positions: number,
  needsInputGradient: boolean,
): Graph {
  const g = new GraphBuilder('block-backward');
  differentiated(g, config, lora, shape, positions, needsInputGradient);
  return g.finish();
}

/** What multiplies with the block's large matrices, which is nearly all that a block costs. */
const PRODUCTS = new Set(['Gemm', 'MatMulNBits']);

/** The two ways through a block or the head where memory allows to keep what is multiplied. */
export interface Keeping {
  /** As without keeping, and the `kept` values under their names. */
  forward: Graph;
  /** As without keeping, with the kept values as further inputs: nothing is multiplied with the matrices a second time. */
  backward: Graph;
  kept: readonly Value[];
}

/**
 * `blockForwardGraph` and `blockBackwardGraph` where memory allows to keep what the block multiplies: about 3 · intermediate + 4 · hidden numbers a token, for a
 * third of a training step's time. Norms, attention and what is elementwise are reckoned anew all the same.
 */
export function keepingBlock(
  config: QwenConfig,
  lora: LoraSpec,
  shape: SequenceShape,
  positions: number,
  needsInputGradient: boolean,
): Keeping {
  const g = new GraphBuilder('block');
  const { y } = differentiated(g, config, lora, shape, positions, true);
  g.output('y', y);
  const graph = g.finish();
  const derivatives = graph.outputs.map(({ name }) => name).filter((name) => name !== 'y');
  const kept = handedOver(graph, ['dy'], derivatives, PRODUCTS);
  const before = graph.inputs.filter(({ name }) => name !== 'dy');
  const wanted = derivatives.filter((name) => needsInputGradient || name !== 'dx');
  return {
    forward: restrict(graph, 'block-forward-keeping', before, ['y', ...kept.map(({ name }) => name)]),
    backward: restrict(graph, 'block-backward-kept', [...graph.inputs, ...kept], wanted),
    kept,
  };
}

/** A block with its derivatives by the adapter, and by its input where that is needed, as outputs. */
function differentiated(
  g: GraphBuilder,
  config: QwenConfig,
  lora: LoraSpec,
  shape: SequenceShape,
  positions: number,
  needsInputGradient: boolean,
): { y: Value } {
  const { x, y, adapter } = block(g, config, lora, shape, positions);
  const dy = g.input('dy', 'float32', y.shape);
  const names = Object.keys(adapter);
  const wrt = [...Object.values(adapter), ...(needsInputGradient ? [x] : [])];
  gradients(g, [{ value: y, cotangent: dy }], wrt).forEach((gradient, i) => g.output(names[i] ? `d.${names[i]}` : 'dx', gradient));
  return { y };
}

function block(g: GraphBuilder, config: QwenConfig, lora: LoraSpec | null, { batch, length }: SequenceShape, positions: number) {
  const x = g.input('x', 'float32', [batch * length, config.hiddenSize]);
  const weights = declare(g, blockTensors(config));
  const adapter = lora ? declare(g, floats(loraShapes(config, lora))) : {};
  const { cos, sin } = rotaryInputs(g, config, positions);
  const y = decoderBlock(g, config, x, { ...weights, ...adapter }, lora, (qkv) =>
    causalAttention(g, config, qkv, batch, length, cos, sin),
  );
  return { x, y, adapter };
}

/** Declares a tensor of the base that is held as one. */
export function baseTensor(g: GraphBuilder, config: QwenConfig, name: string): Value {
  const type = modelTensors(config)[name];
  if (!type) throw new Error(`the base has no ${name}`);
  return g.input(name, type.dtype, type.shape);
}

/** The name of the matrix that the head multiplies with. */
export function headWeight(config: QwenConfig): string {
  return config.tieWordEmbeddings ? EMBEDDING : UNTIED_HEAD;
}

/** Final norm and vocabulary logits of hidden [tokens, hidden]; declares the two weights. */
export function headLogits(g: GraphBuilder, config: QwenConfig, hidden: Value): Value {
  const norm = baseTensor(g, config, FINAL_NORM);
  const head = baseTensor(g, config, headWeight(config));
  return dense(g, rmsNorm(g, hidden, norm, config.rmsNormEps), head);
}

/** Scaled logits of the rows of `x` [rows, hidden] that `index` int32 [tokens] names, and the scores of `targets`. */
function chunk(g: GraphBuilder, config: QwenConfig, rows: number, tokens: number) {
  const x = g.input('x', 'float32', [rows, config.hiddenSize]);
  const hidden = gather(g, x, g.input('index', 'int32', [tokens]));
  const logits = mul(g, headLogits(g, config, hidden), g.input('inverse_temperature', 'float32', []));
  return { hidden, logits, scores: tokenScores(g, logits, g.input('targets', 'int32', [tokens])) };
}

/** → `logprob` and `entropy`, each [tokens]. */
export function headScoreGraph(config: QwenConfig, rows: number, tokens: number): Graph {
  const g = new GraphBuilder('head-score');
  const { scores } = chunk(g, config, rows, tokens);
  g.output('logprob', scores.logprob);
  g.output('entropy', scores.entropy);
  return g.finish();
}

/**
 * From `dlogprob` and `dentropy` [tokens] to `dx` [rows, hidden]. `inverse` int32 [rows] says which token each row of x became,
 * or `tokens` for none; `base` is added when earlier chunks came first.
 */
export function headBackwardGraph(config: QwenConfig, rows: number, tokens: number, accumulate: boolean): Graph {
  const g = new GraphBuilder('head-backward');
  differentiatedHead(g, config, rows, tokens, accumulate);
  return g.finish();
}

/** `headScoreGraph` and `headBackwardGraph` where memory allows to keep a chunk's logits, tokens · vocabulary numbers. */
export function keepingHead(config: QwenConfig, rows: number, tokens: number, accumulate: boolean): Keeping {
  const g = new GraphBuilder('head');
  const { logprob, entropy } = differentiatedHead(g, config, rows, tokens, accumulate);
  g.output('logprob', logprob);
  g.output('entropy', entropy);
  const graph = g.finish();
  const late = new Set(['dlogprob', 'dentropy', 'inverse', 'base']);
  const kept = handedOver(graph, [...late], ['dx'], PRODUCTS);
  return {
    forward: restrict(graph, 'head-score-keeping', graph.inputs.filter(({ name }) => !late.has(name)), ['logprob', 'entropy', ...kept.map(({ name }) => name)]),
    backward: restrict(graph, 'head-backward-kept', [...graph.inputs, ...kept], ['dx']),
    kept,
  };
}

function differentiatedHead(g: GraphBuilder, config: QwenConfig, rows: number, tokens: number, accumulate: boolean) {
  const { hidden, logits, scores } = chunk(g, config, rows, tokens);
  const cotangent = scores.pullback(g.input('dlogprob', 'float32', [tokens]), g.input('dentropy', 'float32', [tokens]));
  const [dHidden] = gradients(g, [{ value: logits, cotangent }], [hidden]);
  if (!dHidden) throw new Error('the head has no gradient');
  const spread = spreadRows(g, dHidden, g.input('inverse', 'int32', [rows]));
  g.output('dx', accumulate ? add(g, spread, g.input('base', 'float32', [rows, config.hiddenSize])) : spread);
  return scores;
}
