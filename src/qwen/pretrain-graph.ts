/** The whole model forwards and backwards in one graph, for pre-training a small model from scratch. */
import { gradients } from '../onnx/autodiff.ts';
import { GraphBuilder, type Graph, type Value } from '../onnx/graph.ts';
import { gather } from '../onnx/ops/gather.ts';
import { gemm } from '../onnx/ops/gemm.ts';
import { mul } from '../onnx/ops/mul.ts';
import { neg } from '../onnx/ops/neg.ts';
import { reduceSum } from '../onnx/ops/reduce-sum.ts';
import { rmsNorm } from '../onnx/ops/rms-norm.ts';
import { selectRows } from '../onnx/ops/select-rows.ts';
import { tokenScores } from '../onnx/ops/token-scores.ts';
import { declare, floats } from './base-weights.ts';
import { decoderBlock } from './block.ts';
import { causalAttention } from './causal-attention.ts';
import type { QwenConfig } from './config.ts';
import { EMBEDDING, FINAL_NORM, blockShapes, blockTensor, modelShapes } from './parameters.ts';
import { headWeight, rotaryInputs, type SequenceShape } from './training-graphs.ts';

/**
 * L = −Σ weight · log p(target) over the predicted tokens. Inputs: `ids` int32 [batch·length]; `index`, `targets` int32 and
 * `weights` [tokens]; `inverse` int32 [batch·length] (see `selectRows`); every parameter by its full name. Outputs: `loss` [1] and
 * `d.<name>` for every parameter.
 */
export function pretrainGraph(config: QwenConfig, { batch, length }: SequenceShape, tokens: number, positions: number): Graph {
  const g = new GraphBuilder('pretrain');
  const rows = batch * length;
  const parameters = declare(g, floats(modelShapes(config)));
  const parameter = (name: string): Value => {
    const value = parameters[name];
    if (!value) throw new Error(`the model has no ${name}`);
    return value;
  };
  const { cos, sin } = rotaryInputs(g, config, positions);
  let x = gather(g, parameter(EMBEDDING), g.input('ids', 'int32', [rows]));
  for (let layer = 0; layer < config.layers; layer++) {
    const weights = Object.fromEntries(Object.keys(blockShapes(config)).map((name) => [name, parameter(blockTensor(layer, name))]));
    x = decoderBlock(g, config, x, weights, null, (qkv) => causalAttention(g, config, qkv, batch, length, cos, sin));
  }
  const predicted = selectRows(g, x, g.input('index', 'int32', [tokens]), g.input('inverse', 'int32', [rows]));
  const normed = rmsNorm(g, predicted, parameter(FINAL_NORM), config.rmsNormEps);
  const logits = gemm(g, normed, parameter(headWeight(config)), { transB: true });
  const scores = tokenScores(g, logits, g.input('targets', 'int32', [tokens]));
  const weights = g.input('weights', 'float32', [tokens]);
  g.output('loss', neg(g, reduceSum(g, mul(g, scores.logprob, weights), [0])));
  const cotangent = scores.pullback(neg(g, weights), mul(g, weights, g.scalar(0)));
  const names = Object.keys(parameters);
  gradients(g, [{ value: logits, cotangent }], Object.values(parameters)).forEach((gradient, i) => g.output(`d.${names[i] ?? ''}`, gradient));
  return g.finish();
}
