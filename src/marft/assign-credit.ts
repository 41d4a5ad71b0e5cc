/** Credit of a whole batch of episodes: one chain per episode (MARFT), or one per utterance (independent PPO). */
import { at, concat, splitLike } from './arrays.ts';
import { chainedCredit, type Credit, type Discounts } from './credit.ts';
import type { Game } from './game.ts';
import type { Episode } from './rollout.ts';
import type { AlgorithmSettings } from './settings.ts';

/** Numbers per token, `[agents][episodes][tokens]`. */
export type AgentTokens = Float32Array[][];

/** `Credit` of every agent's tokens, and what the episode really brought. */
export type BatchCredit = { [Name in keyof Credit]: AgentTokens } & {
  /** The discounted reward that followed each token: what a perfect critic of one's own episodes would say. */
  outcomes: AgentTokens;
};

/**
 * Credit of each token. `rewards` is `[episodes]`, `values` the critic's.
 *
 * MARFT chains an episode's utterances. Independent PPO cuts between agents: each utterance is a chain of its own, and
 * the team reward is copied to the last token of each, with nothing bootstrapped from the next agent, lest the reward
 * count twice.
 */
export function assignCredit(
  game: Game,
  episodes: readonly Episode[],
  rewards: readonly number[],
  values: AgentTokens,
  algorithm: Discounts & Pick<AlgorithmSettings, 'method'>,
): BatchCredit {
  const empty = (): AgentTokens => game.agents.map(() => []);
  const batch: BatchCredit = { rewards: empty(), deltas: empty(), advantages: empty(), returns: empty(), outcomes: empty() };
  const undiscountedTraces: Discounts = { ...algorithm, lambdaToken: 1, lambdaAgent: 1 };

  episodes.forEach(({ utterances }, episode) => {
    const chains = algorithm.method === 'marft' ? [utterances] : utterances.map((one) => [one]);
    for (const chain of chains) {
      const lengths = chain.map(({ tokens }) => tokens.length);
      const flatValues = concat(chain.map(({ agent }) => at(at(values, agent), episode)));
      const credit = chainedCredit(lengths, flatValues, at(rewards, episode), algorithm);
      // With V = 0 and λ = 1 an advantage is the discounted reward to come.
      const noValues = new Float32Array(flatValues.length);
      const outcome = chainedCredit(lengths, noValues, at(rewards, episode), undiscountedTraces);
      const scatter = (into: AgentTokens, flat: Float32Array): void => {
        splitLike(flat, chain.map(({ tokens }) => tokens)).forEach((piece, k) => at(into, at(chain, k).agent).push(piece));
      };
      scatter(batch.rewards, credit.rewards);
      scatter(batch.deltas, credit.deltas);
      scatter(batch.advantages, credit.advantages);
      scatter(batch.returns, credit.returns);
      scatter(batch.outcomes, outcome.advantages);
    }
  });
  return batch;
}
