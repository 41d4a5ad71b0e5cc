/** Advantages to mean 0 and deviation 1, over this batch alone. */
import { at, concat, mean, splitLike, variance } from './arrays.ts';
import type { AgentTokens } from './assign-credit.ts';
import type { AlgorithmSettings } from './settings.ts';

/** Keeps the division finite when all advantages are equal, in units of reward. */
const EPSILON = 1e-8;

/**
 * Normalised copies, `[agents][utterances][decisions]`: over all agents' decisions together, per agent, or not at all. Every
 * decision counts, one whose advantage is 0 too: that is data, not padding. Only utterances that are not `kept` stay out; theirs
 * come back as 0.
 */
export function normalizeAdvantages(
  advantages: AgentTokens,
  mode: AlgorithmSettings['normalizeAdvantages'],
  kept?: readonly (readonly boolean[])[],
): AgentTokens {
  if (kept !== undefined) {
    const isKept = (agent: number, slot: number): boolean => at(at(kept, agent), slot);
    const learnt = normalizeAdvantages(advantages.map((ofAgent, agent) => ofAgent.filter((_, slot) => isKept(agent, slot))), mode);
    const next = learnt.map((ofAgent) => ofAgent.values());
    return advantages.map((ofAgent, agent) =>
      ofAgent.map((numbers, slot) => (isKept(agent, slot) ? at(next, agent).next().value : undefined) ?? new Float32Array(numbers.length)),
    );
  }
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
