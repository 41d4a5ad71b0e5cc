/** How much each of an agent's tokens and decisions counts in its loss. */
import { at } from './arrays.ts';
import { decisionCount } from './decisions.ts';

export interface LossShape {
  /** Tokens per utterance. */
  lengths: readonly number[];
  /** At action level, what each utterance's log-ratio is divided by; null: tokens decide. */
  actionSizes: readonly number[] | null;
  /** Of entropy and penalty, `[tokens]`. */
  tokenWeights: Float64Array;
  /** Of the clipped surrogate, `[decisions]`. */
  decisionWeights: Float64Array;
}

/** The mean over so many tokens of one agent. */
export function evenShape(tokens: number): LossShape {
  const weights = new Float64Array(tokens).fill(1 / Math.max(1, tokens));
  return { lengths: [tokens], actionSizes: null, tokenWeights: weights, decisionWeights: weights };
}

/** The loss's shape over an agent's utterances; those that are not `kept` count nothing. */
export function lossShape(lengths: readonly number[], actionSizes: readonly number[] | null, kept: readonly boolean[]): LossShape {
  const level = actionSizes === null ? 'token' : 'action';
  const weights = (units: readonly number[]): Float64Array => {
    const counted = units.map((count, k) => (at(kept, k) ? count : 0));
    const weight = 1 / Math.max(1, counted.reduce((sum, count) => sum + count, 0));
    return Float64Array.from(units.flatMap((count, k) => new Array<number>(count).fill(at(kept, k) ? weight : 0)));
  };
  return {
    lengths,
    actionSizes,
    tokenWeights: weights(lengths),
    decisionWeights: weights(lengths.map((length) => decisionCount(length, level))),
  };
}
