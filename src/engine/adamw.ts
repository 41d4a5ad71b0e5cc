/** AdamW (Loshchilov and Hutter 2019) over a group of tensors, as one graph; moments and parameters stay on the device. */
import { GraphBuilder, sizeOf, type Graph, type Value } from '../onnx/graph.ts';
import { add } from '../onnx/ops/add.ts';
import { div } from '../onnx/ops/div.ts';
import { mul } from '../onnx/ops/mul.ts';
import { reduceSum } from '../onnx/ops/reduce-sum.ts';
import { reshape } from '../onnx/ops/reshape.ts';
import { sqrt } from '../onnx/ops/sqrt.ts';
import { sub } from '../onnx/ops/sub.ts';
import type { Shapes } from '../qwen/parameters.ts';

export const BETA1 = 0.9;
export const BETA2 = 0.999;
const EPSILON = 1e-8;

/**
 * Inputs per tensor: `p.`, `m.`, `v.`, `g.` + name; scalars `clip` (factor on the gradient), `rate`, `decay` (1 − rate · weight
 * decay), `bias1` = 1/(1 − β₁ᵗ), `bias2` = 1/(1 − β₂ᵗ). Outputs: the new `p.`, `m.`, `v.`.
 */
export function adamwGraph(shapes: Shapes): Graph {
  const g = new GraphBuilder('adamw');
  const [clip, rate, decay, bias1, bias2] = (['clip', 'rate', 'decay', 'bias1', 'bias2'] as const).map((name) =>
    g.input(name, 'float32', []),
  ) as [Value, Value, Value, Value, Value];
  for (const [name, shape] of Object.entries(shapes)) {
    const [p, m, v, raw] = ['p', 'm', 'v', 'g'].map((kind) => g.input(`${kind}.${name}`, 'float32', shape)) as [Value, Value, Value, Value];
    const gradient = mul(g, raw, clip);
    const first = add(g, mul(g, m, g.scalar(BETA1)), mul(g, gradient, g.scalar(1 - BETA1)));
    const second = add(g, mul(g, v, g.scalar(BETA2)), mul(g, mul(g, gradient, gradient), g.scalar(1 - BETA2)));
    const step = div(g, mul(g, first, bias1), add(g, sqrt(g, mul(g, second, bias2)), g.scalar(EPSILON)));
    g.output(`next.p.${name}`, sub(g, mul(g, p, decay), mul(g, step, rate)));
    g.output(`next.m.${name}`, first);
    g.output(`next.v.${name}`, second);
  }
  return g.finish();
}

/** Inputs by name → `sum` [1]: the sum of all squares. */
export function sumOfSquaresGraph(shapes: Shapes): Graph {
  const g = new GraphBuilder('sum-of-squares');
  const sums = Object.entries(shapes).map(([name, shape]) => {
    const x = reshape(g, g.input(name, 'float32', shape), [sizeOf(shape)]);
    return reduceSum(g, mul(g, x, x), [0]);
  });
  g.output('sum', sums.reduce((a, b) => add(g, a, b)));
  return g.finish();
}

/** Adds two groups of tensors: `a.` + name and `b.` + name → name. */
export function addGroupsGraph(shapes: Shapes): Graph {
  const g = new GraphBuilder('add-groups');
  for (const [name, shape] of Object.entries(shapes)) {
    g.output(name, add(g, g.input(`a.${name}`, 'float32', shape), g.input(`b.${name}`, 'float32', shape)));
  }
  return g.finish();
}
