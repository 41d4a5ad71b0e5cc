/**
 * Credit: generalised advantage estimation (arXiv 1506.02438, equation 16) chained through all agents' tokens (MARFT's
 * token-level game; the Bellman backup of POAD, arXiv 2405.15821). An episode's tokens form one chain in generation
 * order; what leads from one token to the next decides the discount.
 */
import { at } from './arrays.ts';

/** Within an utterance · from its last token to the next utterance's first · after the chain's last · after a last one that was cut. */
export type Edge = 'token' | 'agent' | 'end' | 'cut';

export interface Discounts {
  gammaToken: number;
  gammaAgent: number;
  lambdaToken: number;
  lambdaAgent: number;
}

/** Everything per token of a chain, `[tokens]`, in units of reward. */
export interface Credit {
  rewards: Float32Array;
  /** δ, the temporal-difference error. */
  deltas: Float32Array;
  /** A, before any normalisation. */
  advantages: Float32Array;
  /** A + V, what the critic is to predict. */
  returns: Float32Array;
}

/**
 * The edge after each token, `[Σ lengths]`, of utterances with these numbers of tokens. Empty ones are passed over. At action
 * level an utterance counts as one token.
 */
export function chainEdges(lengths: readonly number[], last: 'end' | 'cut' = 'end'): Edge[] {
  const edges = lengths.flatMap((length) =>
    Array.from({ length }, (_, t): Edge => (t + 1 < length ? 'token' : 'agent')),
  );
  if (edges.length > 0) edges[edges.length - 1] = last;
  return edges;
}

/**
 * δ[k] = r[k] + γ V[k+1] − V[k] and A[k] = δ[k] + γλ A[k+1], with γ and λ of the edge after token k, both 0 at the end.
 * Behind a cut, V[K+1] is taken to be V[K]: the last value that the critic is ever trained on. All arrays are `[tokens]`; `values[k]` is the value of the prefix before token k.
 */
export function gae(
  rewards: ArrayLike<number>,
  values: ArrayLike<number>,
  edges: readonly Edge[],
  discounts: Discounts,
): Credit {
  const count = edges.length;
  if (rewards.length !== count || values.length !== count) {
    throw new RangeError(`${rewards.length} rewards and ${values.length} values for ${count} tokens`);
  }
  const credit: Credit = {
    rewards: Float32Array.from(rewards),
    deltas: new Float32Array(count),
    advantages: new Float32Array(count),
    returns: new Float32Array(count),
  };
  let nextValue = edges.at(-1) === 'cut' ? at(values, count - 1) : 0;
  let nextAdvantage = 0;
  for (let k = count - 1; k >= 0; k--) {
    const [gamma, lambda] = edgeDiscounts(at(edges, k), discounts);
    const delta = at(rewards, k) + gamma * nextValue - at(values, k);
    const advantage = delta + gamma * lambda * nextAdvantage;
    credit.deltas[k] = delta;
    credit.advantages[k] = advantage;
    credit.returns[k] = advantage + at(values, k);
    nextValue = at(values, k);
    nextAdvantage = advantage;
  }
  return credit;
}

/** What arrives along a chain. */
export interface Earnings {
  /** Lands on the last token, except where the chain was cut. */
  reward: number;
  /** Added to every token's reward, `[tokens]`; absent: nothing. */
  penalties?: ArrayLike<number>;
  /** True when the last utterance was cut and the critic stands in for its verdict. */
  cut?: boolean;
}

/** One chain through all utterances of an episode. */
export function chainedCredit(
  lengths: readonly number[],
  values: ArrayLike<number>,
  { reward, penalties, cut = false }: Earnings,
  discounts: Discounts,
): Credit {
  const edges = chainEdges(lengths, cut ? 'cut' : 'end');
  const rewards = edges.map((edge, k) => (edge === 'end' ? reward : 0) + (penalties === undefined ? 0 : at(penalties, k)));
  return gae(rewards, values, edges, discounts);
}

/** γ and λ across an edge; nothing lies behind the end of a chain, and behind a cut nothing but a value. */
function edgeDiscounts(edge: Edge, discounts: Discounts): [gamma: number, lambda: number] {
  switch (edge) {
    case 'token':
      return [discounts.gammaToken, discounts.lambdaToken];
    case 'agent':
      return [discounts.gammaAgent, discounts.lambdaAgent];
    case 'cut':
      return [discounts.gammaToken, 0];
    case 'end':
      return [0, 0];
  }
}
