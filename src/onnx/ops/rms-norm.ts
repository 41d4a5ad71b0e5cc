import { dimension, type GraphBuilder, type Value } from '../graph.ts';
import { add } from './add.ts';
import { div } from './div.ts';
import { mul } from './mul.ts';
import { reduceMean } from './reduce-mean.ts';
import { sqrt } from './sqrt.ts';
import { sub } from './sub.ts';
import { unbroadcast } from './unbroadcast.ts';

/**
 * Root-mean-square normalisation over the last axis (Zhang and Sennrich 2019): x / √(mean(x²) + ε) · weight, for x of
 * shape […, width] and weight [width]. One fused node forwards; the derivative recomputes the normalised x.
 */
export function rmsNorm(g: GraphBuilder, x: Value, weight: Value, epsilon: number): Value {
  if (dimension(x, -1) !== dimension(weight, 0)) throw new Error('rmsNorm: widths differ');
  const y = g.node('SimplifiedLayerNormalization', [x, weight], x, { axis: { int: -1 }, epsilon: { float: epsilon } });
  let shared: { normalised: Value; rms: Value } | undefined;
  const recompute = () => {
    if (!shared) {
      const rms = sqrt(g, add(g, reduceMean(g, mul(g, x, x), [-1]), g.scalar(epsilon)));
      shared = { rms, normalised: div(g, x, rms) };
    }
    return shared;
  };
  return g.record([x, weight], y, [
    (dy) => {
      const { normalised, rms } = recompute();
      const dn = mul(g, dy, weight);
      return div(g, sub(g, dn, mul(g, normalised, reduceMean(g, mul(g, dn, normalised), [-1]))), rms);
    },
    (dy) => unbroadcast(g, mul(g, dy, recompute().normalised), weight.shape),
  ]);
}
