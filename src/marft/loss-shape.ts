/** How much each of an agent's tokens and decisions counts in its loss. */
import { at } from './arrays.ts';
import { decisionCount } from './decisions.ts';
import type { AlgorithmSettings } from './settings.ts';

export interface LossShape {
  /** Tokens per utterance. */
  lengths: readonly number[];
  /** At action level, what each utterance's log-ratio is divided by; null: tokens decide. */
  actionSizes: readonly number[] | null;
  /** Of entropy and penalty, `[tokens]`. */
  tokenWeights: Float64Array;
  /** Of the clipped surrogate, `[decisions]`; HAPPO's factor is part of it. */
  decisionWeights: Float64Array;
}

/** An agent's utterances of a batch. */
export interface Speech {
  lengths: readonly number[];
  actionSizes: readonly number[] | null;
  /** Those that the loss is made of. */
  kept: readonly boolean[];
}

/** The mean over so many tokens of one agent. */
export function evenShape(tokens: number): LossShape {
  const weights = new Float64Array(tokens).fill(1 / Math.max(1, tokens));
  return { lengths: [tokens], actionSizes: null, tokenWeights: weights, decisionWeights: weights };
}

/**
 * The loss's shape over the agent's utterances. `team` is everybody's speech, whose tokens (or actions) the loss is averaged over when
 * asked; `factors` multiply the surrogate, `[utterances]`.
 */
export function lossShape(
  own: Speech,
  averaging: AlgorithmSettings['lossAveraging'] = 'own-tokens',
  team: readonly Speech[] = [own],
  factors: ArrayLike<number> | null = null,
): LossShape {
  const { lengths, actionSizes } = own;
  const tokenWeights = weights(own, team, averaging, tokensOf);
  const decisionWeights = weights(own, team, averaging, decisionsOf);
  if (factors !== null) {
    let next = 0;
    decisionsOf(own).forEach((count, k) => {
      for (const end = next + count; next < end; next++) decisionWeights[next] = at(decisionWeights, next) * at(factors, k);
    });
  }
  return { lengths, actionSizes, tokenWeights, decisionWeights };
}

/** The weight of every unit (a token or a decision) of the agent's utterances, `[Σ units]`. */
function weights(
  own: Speech,
  team: readonly Speech[],
  averaging: AlgorithmSettings['lossAveraging'],
  unitsOf: (speech: Speech) => readonly number[],
): Float64Array {
  const counted = (speech: Speech): number[] => unitsOf(speech).map((count, k) => (at(speech.kept, k) ? count : 0));
  const units = counted(own);
  const total = (averaging === 'all-tokens' ? team.flatMap(counted) : units).reduce((sum, count) => sum + count, 0);
  const spoken = units.filter((count) => count > 0).length;
  return Float64Array.from(
    unitsOf(own).flatMap((count, k) => {
      const weight = averaging === 'per-sequence' ? 1 / (spoken * count) : 1 / Math.max(1, total);
      return new Array<number>(count).fill(at(own.kept, k) ? weight : 0);
    }),
  );
}

function tokensOf({ lengths }: Speech): readonly number[] {
  return lengths;
}

function decisionsOf({ lengths, actionSizes }: Speech): readonly number[] {
  return lengths.map((length) => decisionCount(length, actionSizes === null ? 'token' : 'action'));
}
