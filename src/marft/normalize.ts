/** Advantages to mean 0 and deviation 1, over this batch alone. */
import { concat, mean, splitLike, variance } from './arrays.ts';
import type { AgentTokens } from './assign-credit.ts';
import type { AlgorithmSettings } from './settings.ts';

/** Keeps the division finite when all advantages are equal, in units of reward. */
const EPSILON = 1e-8;

/**
 * Normalised copies, `[agents][episodes][tokens]`: over all agents' tokens together, per agent, or not at all. Every
 * generated token counts, one whose advantage is 0 too: that is data, not padding.
 */
export function normalizeAdvantages(
  advantages: AgentTokens,
  mode: AlgorithmSettings['normalizeAdvantages'],
): AgentTokens {
  if (mode === 'none') return advantages;
  if (mode === 'per-agent') return advantages.map((ofAgent) => splitLike(standardize(concat(ofAgent)), ofAgent));
  const ofAgents = advantages.map(concat);
  return splitLike(standardize(concat(ofAgents)), ofAgents).map((flat, agent) => splitLike(flat, advantages[agent] ?? []));
}

/** (x − mean) / (deviation + ε), `[tokens]`. */
function standardize(values: Float32Array): Float32Array {
  const centre = mean(values);
  const deviation = Math.sqrt(variance(values));
  return values.map((value) => (value - centre) / (deviation + EPSILON));
}
