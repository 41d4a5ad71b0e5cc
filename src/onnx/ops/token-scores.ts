import { dimension, type GraphBuilder, type Value } from '../graph.ts';
import { add } from './add.ts';
import { cast } from './cast.ts';
import { compare } from './compare.ts';
import { exp } from './exp.ts';
import { logSoftmax } from './log-softmax.ts';
import { mul } from './mul.ts';
import { neg } from './neg.ts';
import { reduceSum } from './reduce-sum.ts';
import { reshape } from './reshape.ts';
import { sub } from './sub.ts';

export interface TokenScoreValues {
  /** log p(target), [tokens]. */
  logprob: Value;
  /** −Σ p log p over the vocabulary, [tokens]. */
  entropy: Value;
  /** dL/dlogits [tokens, vocab] from dL/dlogprob and dL/dentropy, each [tokens]. */
  pullback: (dLogprob: Value, dEntropy: Value) => Value;
}

/**
 * Log-prob of each target and entropy of each distribution, for logits [tokens, vocab] and targets int32 [tokens].
 * With p = softmax(z): dL/dz = a·(1[target] − p) − e·p·(log p + H), where a = dL/dlogprob and e = dL/dentropy.
 */
export function tokenScores(g: GraphBuilder, logits: Value, targets: Value): TokenScoreValues {
  const tokens = dimension(logits, 0);
  const vocab = dimension(logits, 1);
  const column = (x: Value) => reshape(g, x, [tokens, 1]);
  const logp = logSoftmax(g, logits);
  const p = exp(g, logp);
  const ids = g.constant(Int32Array.from({ length: vocab }, (_, i) => i), [1, vocab]);
  const chosen = cast(g, compare(g, 'Equal', ids, column(targets)), 'float32');
  const entropy = neg(g, reduceSum(g, mul(g, p, logp), [1]));
  return {
    logprob: reshape(g, reduceSum(g, mul(g, logp, chosen), [1]), [tokens]),
    entropy: reshape(g, entropy, [tokens]),
    pullback: (dLogprob, dEntropy) => {
      const a = column(dLogprob);
      const spread = mul(g, p, add(g, a, mul(g, column(dEntropy), add(g, logp, entropy))));
      return sub(g, mul(g, chosen, a), spread);
    },
  };
}
