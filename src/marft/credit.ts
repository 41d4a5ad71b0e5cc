/**
 * Credit: generalised advantage estimation (arXiv 1506.02438, equation 16) chained through all agents' tokens (MARFT's
 * token-level game; the Bellman backup of POAD, arXiv 2405.15821). An episode's tokens form one chain in generation
 * order; what leads from one token to the next decides the discount.
 */
import { at } from './arrays.ts';

/** Within an utterance · from its last token to the next utterance's first · after the last token of the chain. */
export type Edge = 'token' | 'agent' | 'end';

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

/** The edge after each token, `[Σ lengths]`, of utterances with these numbers of tokens. Empty ones are passed over. */
export function chainEdges(lengths: readonly number[]): Edge[] {
  const edges = lengths.flatMap((length) =>
    Array.from({ length }, (_, t): Edge => (t + 1 < length ? 'token' : 'agent')),
  );
  if (edges.length > 0) edges[edges.length - 1] = 'end';
  return edges;
}

/**
 * δ[k] = r[k] + γ V[k+1] − V[k] and A[k] = δ[k] + γλ A[k+1], with γ and λ of the edge after token k, both 0 at the end.
 * All arrays are `[tokens]`; `values[k]` is the value of the prefix before token k.
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
  let nextValue = 0;
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

/** One chain through all utterances of an episode; the team reward lands on the last token. */
export function chainedCredit(
  lengths: readonly number[],
  values: ArrayLike<number>,
  reward: number,
  discounts: Discounts,
): Credit {
  const edges = chainEdges(lengths);
  const rewards = edges.map((edge) => (edge === 'end' ? reward : 0));
  return gae(rewards, values, edges, discounts);
}

/** γ and λ across an edge; nothing lies behind the end of a chain. */
function edgeDiscounts(edge: Edge, discounts: Discounts): [gamma: number, lambda: number] {
  if (edge === 'token') return [discounts.gammaToken, discounts.lambdaToken];
  if (edge === 'agent') return [discounts.gammaAgent, discounts.lambdaAgent];
  return [0, 0];
}
