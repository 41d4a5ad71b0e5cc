/**
 * What decides: every token, or every utterance as a whole (MARFT and MARFT-A of arXiv 2504.16129). Values, credit and ratios have
 * one number per decision; log-probs and entropies have one per token. An utterance without a token decides nothing.
 */
import type { ChatTokenizer } from '../tokenizer/types.ts';
import { at } from './arrays.ts';
import type { Game } from './game.ts';
import { spokenIds, utterancesOf, type Episode } from './rollout.ts';
import type { AlgorithmSettings } from './settings.ts';

type Level = AlgorithmSettings['level'];

/** How many decisions an utterance of so many tokens is. */
export function decisionCount(tokens: number, level: Level): number {
  return level === 'token' ? tokens : Math.min(1, tokens);
}

/** Which of an utterance's decisions token t belongs to. */
export function decisionOf(t: number, level: Level): number {
  return level === 'token' ? t : 0;
}

/**
 * What an utterance's summed log-ratio is divided by at action level: 1, its tokens (stop token included) or the words of its text,
 * never less than 1.
 */
export function actionSize(tokens: number, text: string, normalization: AlgorithmSettings['actionNormalization']): number {
  if (normalization === 'sum') return 1;
  const count = normalization === 'token' ? tokens : text.split(/\s+/).filter((word) => word !== '').length;
  return Math.max(1, count);
}

/** Sum of each utterance's numbers over its size, `[utterances with a token]`, from numbers per token `[utterances][tokens]`. */
export function perAction(tokens: readonly Float32Array[], sizes: readonly number[]): Float64Array {
  const actions = tokens.flatMap((ofUtterance, k) =>
    ofUtterance.length === 0 ? [] : [ofUtterance.reduce((sum, value) => sum + value, 0) / at(sizes, k)],
  );
  return Float64Array.from(actions);
}

/** The derivative's way back through `perAction`: every token of an utterance gets its action's share, `[Σ tokens]`. */
export function perToken(actions: ArrayLike<number>, sizes: readonly number[], lengths: readonly number[]): Float64Array {
  let action = 0;
  return Float64Array.from(
    lengths.flatMap((length, k) => {
      if (length === 0) return [];
      return new Array<number>(length).fill(at(actions, action++) / at(sizes, k));
    }),
  );
}

/** Every utterance's size, `[agents][utterances]`; null at token level. */
export function actionSizesOf(
  game: Game,
  tokenizer: Pick<ChatTokenizer, 'decode'>,
  episodes: readonly Episode[],
  { level, actionNormalization }: Pick<AlgorithmSettings, 'level' | 'actionNormalization'>,
): number[][] | null {
  if (level === 'token') return null;
  return game.agents.map((_, agent) =>
    utterancesOf(episodes, agent).map((utterance) =>
      actionSize(utterance.tokens.length, tokenizer.decode(spokenIds(utterance)), actionNormalization),
    ),
  );
}
