/**
 * From logits to a token, inside the graph: nothing of the vocabulary's size leaves the device.
 *
 * What may be drawn is cut down in the order of transformers' logits processors: ids that are banned, then temperature, top-k, top-p
 * (Holtzman et al. 2020) and min-p (Nguyen et al. 2024). The log-prob that is returned is of the model's own distribution at the temperature,
 * with nothing cut off, because that is what scoring and training compute.
 */
import { type GraphBuilder, type Value } from '../onnx/graph.ts';
import { add } from '../onnx/ops/add.ts';
import { cast } from '../onnx/ops/cast.ts';
import { compare } from '../onnx/ops/compare.ts';
import { exp } from '../onnx/ops/exp.ts';
import { logSoftmax } from '../onnx/ops/log-softmax.ts';
import { mul } from '../onnx/ops/mul.ts';
import { reduceExtreme } from '../onnx/ops/reduce-extreme.ts';
import { reduceSum } from '../onnx/ops/reduce-sum.ts';
import { reshape } from '../onnx/ops/reshape.ts';
import { sub } from '../onnx/ops/sub.ts';
import { where } from '../onnx/ops/where.ts';
import { drawPlace, largestPlace, numberAt } from './choose.ts';

/** Which steps a graph has; their numbers are inputs. */
export interface SamplingSteps {
  greedy: boolean;
  topK: boolean;
  topP: boolean;
  minP: boolean;
}

export interface SamplingInputs {
  /** [] */
  inverseTemperature: Value;
  /** [1, vocabulary]: 0, or `BANNED` for what is never drawn. */
  banned: Value;
  /** [], and null where the graph has no such step. */
  topK: Value | null;
  topP: Value | null;
  minP: Value | null;
}

/** Added to a log-prob: nothing that a model computes is as unlikely. */
export const BANNED = -1e9;

export function samplingInputs(g: GraphBuilder, vocabulary: number, steps: SamplingSteps): SamplingInputs {
  const optional = (name: string, there: boolean) => (there && !steps.greedy ? g.input(name, 'float32', []) : null);
  return {
    inverseTemperature: g.input('inverse_temperature', 'float32', []),
    banned: g.input('banned', 'float32', [1, vocabulary]),
    topK: optional('top_k', steps.topK),
    topP: optional('top_p', steps.topP),
    minP: optional('min_p', steps.minP),
  };
}

/** One token a row from `logits` [batch, vocabulary] and `uniform` [batch, 1]: int32 [batch], and its log-prob [batch] in nats. */
export function drawToken(
  g: GraphBuilder,
  logits: Value,
  uniform: Value,
  greedy: boolean,
  { inverseTemperature, banned, topK, topP, minP }: SamplingInputs,
): { token: Value; logprob: Value } {
  const [batch = 0] = logits.shape;
  const logp = logSoftmax(g, mul(g, logits, inverseTemperature));
  const open = add(g, logp, banned);
  const place = greedy ? largestPlace(g, open) : drawPlace(g, truncated(g, open, topK, topP, minP), uniform);
  const token = reshape(g, cast(g, place, 'int32'), [batch]);
  return { token, logprob: numberAt(g, logp, token) };
}

/** What remains to be drawn from log-probs `open` [batch, n], as odds against the likeliest: [batch, n], 0 for what is cut off. */
function truncated(g: GraphBuilder, open: Value, topK: Value | null, topP: Value | null, minP: Value | null): Value {
  const gap = sub(g, open, reduceExtreme(g, 'ReduceMax', open));
  let odds = exp(g, gap);
  if (topK) odds = mul(g, odds, above(g, gap, null, topK));
  if (topP) odds = mul(g, odds, above(g, gap, odds, mul(g, topP, reduceSum(g, odds, [1]))));
  if (minP) odds = mul(g, odds, cast(g, compare(g, 'GreaterOrEqual', odds, minP), 'float32'));
  return odds;
}

/** Nats below the likeliest token within which a threshold is looked for: less than a ten-thousand-millionth of its probability. */
const DEPTH = 24;
/** Halvings of that range, which leave steps of 24 / 2²⁰ = 0.00002 nats: closer tokens count as equally likely. */
const HALVINGS = 20;

/**
 * 1 for each place such that less than `limit` [batch, 1] lies in likelier places, else 0: of `weights` [batch, n], or of the number of
 * places. So the likeliest are kept until they reach the limit, and equally likely ones are kept or cut together. A bisection for the
 * threshold: sorting a vocabulary takes a GPU longer than summing it up twenty times.
 */
function above(g: GraphBuilder, gap: Value, weights: Value | null, limit: Value): Value {
  const likelier = (threshold: Value): Value => cast(g, compare(g, 'Greater', gap, threshold), 'float32');
  let low = g.constant(Float32Array.of(-DEPTH), [1, 1]);
  for (let halving = 1; halving <= HALVINGS; halving++) {
    const middle = add(g, low, g.scalar(DEPTH / 2 ** halving));
    const kept = likelier(middle);
    const reached = compare(g, 'GreaterOrEqual', reduceSum(g, weights ? mul(g, kept, weights) : kept, [1]), limit);
    low = where(g, reached, middle, low);
  }
  return likelier(low);
}
