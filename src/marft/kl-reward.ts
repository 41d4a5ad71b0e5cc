/** The penalty for leaving the base, as part of the reward (marft.md, section 4). */
import type { AgentTokens } from './assign-credit.ts';
import { at } from './arrays.ts';
import { decisionCount } from './decisions.ts';
import type { TeamScores } from './score.ts';
import type { AlgorithmSettings } from './settings.ts';

/**
 * −β · (log π − log π_base) of every sampled token, or its sum over an utterance at action level, per decision; in units of reward. Null
 * for β = 0.
 */
export function klPenalties(
  { old, ref }: TeamScores,
  { klRewardCoef, level }: Pick<AlgorithmSettings, 'klRewardCoef' | 'level'>,
): AgentTokens | null {
  if (klRewardCoef === 0) return null;
  return old.map(({ logprobs }, agent) =>
    logprobs.map((ofUtterance, slot) => {
      const reference = at(at(ref, agent), slot);
      const tokens = ofUtterance.map((logprob, t) => -klRewardCoef * (logprob - at(reference, t)));
      if (level === 'token') return tokens;
      return new Float32Array(decisionCount(tokens.length, level)).fill(tokens.reduce((sum, one) => sum + one, 0));
    }),
  );
}
