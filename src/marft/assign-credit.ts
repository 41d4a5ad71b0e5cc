/** Credit of a whole batch of episodes: one chain per episode (MARFT), or one per agent and episode (independent PPO). */
import { at, concat, splitLike } from './arrays.ts';
import { chainedCredit, type Credit, type Discounts, type Earnings } from './credit.ts';
import type { Game } from './game.ts';
import { slotsOf, type Episode, type Utterance } from './rollout.ts';
import type { AlgorithmSettings } from './settings.ts';

/**
 * Numbers per token, or per decision where it says so, `[agents][utterances][tokens]`. An agent's utterances stand in the order of
 * episodes and, within an episode, of turns: there are as many as episodes in a game of one turn.
 */
export type AgentTokens = Float32Array[][];

/** `Credit` of every agent's decisions, and what the episode really brought. */
export type BatchCredit = { [Name in keyof Credit]: AgentTokens } & {
  /** The discounted reward that followed each decision: what a perfect critic of one's own episodes would say. */
  outcomes: AgentTokens;
};

/** What has been earned and predicted. */
export interface Play {
  episodes: readonly Episode[];
  /** `[agents][episodes]`: the team reward for everyone, unless a method rewards agents for themselves. */
  rewards: readonly (readonly number[])[];
  /** The critic's, per decision. */
  values: AgentTokens;
  /** Added to the reward of every decision; null: nothing. */
  penalties: AgentTokens | null;
}

/** How an episode's utterances fall into chains along which credit flows. */
export type Chains = (utterances: readonly Utterance[]) => Utterance[][];

/** MARFT: one chain in generation order, through all agents and turns. */
export const teamChain: Chains = (utterances) => [[...utterances]];

/**
 * Independent PPO: one chain for each agent's own utterances. Nothing is bootstrapped from another agent, lest a reward that is copied
 * to everyone count twice.
 */
export const ownChains: Chains = (utterances) => {
  const agents = [...new Set(utterances.map(({ agent }) => agent))];
  return agents.map((agent) => utterances.filter((one) => one.agent === agent));
};

/** Credit along chains; a chain's reward is that of the agent who speaks last in it. */
export function creditAlong(
  chains: Chains,
  game: Game,
  { episodes, rewards, values, penalties }: Play,
  algorithm: Discounts & Pick<AlgorithmSettings, 'truncation'>,
): BatchCredit {
  const batch = emptyCredit(values);
  const undiscountedTraces: Discounts = { ...algorithm, lambdaToken: 1, lambdaAgent: 1 };
  const slots = slotsOf(game, episodes);

  episodes.forEach(({ utterances }, episode) => {
    for (const chain of chains(utterances)) {
      const places = chain.map((utterance) => [utterance.agent, at(at(slots, episode), utterances.indexOf(utterance))] as const);
      const gathered = (numbers: AgentTokens): Float32Array[] => places.map(([agent, slot]) => at(at(numbers, agent), slot));
      const pieces = gathered(values);
      const lengths = pieces.map(({ length }) => length);
      const last = at(chain, chain.length - 1);
      const earnings: Earnings = { reward: at(at(rewards, last.agent), episode) };
      if (penalties !== null) earnings.penalties = concat(gathered(penalties));
      const cut = algorithm.truncation === 'bootstrap' && last.truncated;
      const flatValues = concat(pieces);
      const credit = chainedCredit(lengths, flatValues, { ...earnings, cut }, algorithm);
      // With V = 0 and λ = 1 an advantage is the discounted reward to come.
      const outcome = chainedCredit(lengths, new Float32Array(flatValues.length), earnings, undiscountedTraces);
      const scatter = (into: AgentTokens, flat: Float32Array): void => {
        splitLike(flat, pieces).forEach((piece, k) => {
          const [agent, slot] = at(places, k);
          at(into, agent)[slot] = piece;
        });
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

/** Zeros in the shape of the values. */
export function emptyCredit(values: AgentTokens): BatchCredit {
  const zeros = (): AgentTokens => values.map((ofAgent) => ofAgent.map(({ length }) => new Float32Array(length)));
  return { rewards: zeros(), deltas: zeros(), advantages: zeros(), returns: zeros(), outcomes: zeros() };
}
