/**
 * The centralised critic's head: hidden states of several depths at one position, standardised and joined → a value. A linear
 * map does most of the work; a small tanh layer beside it adds what is not linear, and starts at zero.
 */
import { gradients } from '../onnx/autodiff.ts';
import { GraphBuilder, type Graph, type Value } from '../onnx/graph.ts';
import { add } from '../onnx/ops/add.ts';
import { concat } from '../onnx/ops/concat.ts';
import { gather } from '../onnx/ops/gather.ts';
import { gemm } from '../onnx/ops/gemm.ts';
import { mul } from '../onnx/ops/mul.ts';
import { reshape } from '../onnx/ops/reshape.ts';
import { spreadRows } from '../onnx/ops/select-rows.ts';
import { sub } from '../onnx/ops/sub.ts';
import { tanh } from '../onnx/ops/tanh.ts';
import { declare, floats } from './base-weights.ts';
import type { QwenConfig } from './config.ts';
import type { Shapes } from './parameters.ts';

/** Width of the tanh layer. */
export const VALUE_HIDDEN = 64;
/** At most this many depths are read, evenly spread and ending with the last. */
const MAX_DEPTHS = 4;

/** Indices of the hidden states (1 = after the first block) that the head reads. */
export function valueDepths(config: QwenConfig): number[] {
  const count = Math.min(MAX_DEPTHS, config.layers);
  return Array.from({ length: count }, (_, i) => Math.round(((i + 1) * config.layers) / count));
}

export function featureCount(config: QwenConfig): number {
  return valueDepths(config).length * config.hiddenSize;
}

export function valueHeadShapes(config: QwenConfig): Shapes {
  const width = featureCount(config);
  return {
    'value.linear.weight': [1, width],
    'value.linear.bias': [1],
    'value.up.weight': [VALUE_HIDDEN, width],
    'value.up.bias': [VALUE_HIDDEN],
    'value.down.weight': [1, VALUE_HIDDEN],
  };
}

/** `state.<i>` [rows, hidden] and `index` int32 [tokens] → raw features [tokens, width]. */
function features(g: GraphBuilder, config: QwenConfig, rows: number, tokens: number) {
  const index = g.input('index', 'int32', [tokens]);
  const parts = valueDepths(config).map((depth) => gather(g, g.input(`state.${depth}`, 'float32', [rows, config.hiddenSize]), index));
  return { parts, joined: concat(g, parts, 1) };
}

/** → `features` [tokens, width], to find the mean and deviation that standardise them. */
export function featuresGraph(config: QwenConfig, rows: number, tokens: number): Graph {
  const g = new GraphBuilder('value-features');
  g.output('features', features(g, config, rows, tokens).joined);
  return g.finish();
}

function head(g: GraphBuilder, config: QwenConfig, rows: number, tokens: number) {
  const { parts, joined } = features(g, config, rows, tokens);
  const width = featureCount(config);
  const standard = mul(g, sub(g, joined, g.input('mean', 'float32', [width])), g.input('scale', 'float32', [width]));
  const weights = declare(g, floats(valueHeadShapes(config)));
  const get = (name: string): Value => {
    const value = weights[name];
    if (!value) throw new Error(`the value head has no ${name}`);
    return value;
  };
  const linear = gemm(g, standard, get('value.linear.weight'), { transB: true, c: get('value.linear.bias') });
  const hidden = tanh(g, gemm(g, standard, get('value.up.weight'), { transB: true, c: get('value.up.bias') }));
  const value = reshape(g, add(g, linear, gemm(g, hidden, get('value.down.weight'), { transB: true })), [tokens]);
  return { parts, weights, value };
}

/** → `value` [tokens]. */
export function valueGraph(config: QwenConfig, rows: number, tokens: number): Graph {
  const g = new GraphBuilder('value');
  g.output('value', head(g, config, rows, tokens).value);
  return g.finish();
}

/** From `dvalue` [tokens] to `d.<name>` of the head and, when asked, `dstate.<depth>` [rows, hidden] (with `inverse` int32 [rows]). */
export function valueBackwardGraph(config: QwenConfig, rows: number, tokens: number, intoStates: boolean): Graph {
  const g = new GraphBuilder('value-backward');
  const { parts, weights, value } = head(g, config, rows, tokens);
  const cotangent = g.input('dvalue', 'float32', [tokens]);
  const names = Object.keys(weights);
  const results = gradients(g, [{ value, cotangent }], [...Object.values(weights), ...(intoStates ? parts : [])]);
  names.forEach((name, i) => g.output(`d.${name}`, results[i] as Value));
  if (intoStates) {
    const inverse = g.input('inverse', 'int32', [rows]);
    valueDepths(config).forEach((depth, i) => g.output(`dstate.${depth}`, spreadRows(g, results[names.length + i] as Value, inverse)));
  }
  return g.finish();
}
