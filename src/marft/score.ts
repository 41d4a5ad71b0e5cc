/** What the networks say of sampled tokens before anything is updated. */
import type { LanguageModel, Policy, TokenScores } from '../engine/types.ts';
import { at } from './arrays.ts';
import type { AgentTokens } from './assign-credit.ts';
import type { Critic } from './critics.ts';
import { decisionCount } from './decisions.ts';
import type { Game } from './game.ts';
import { utterancesOf, type Episode } from './rollout.ts';
import type { AlgorithmSettings } from './settings.ts';
import { scatter, type CriticView } from './views.ts';

export interface TeamScores {
  /** By agent: log-probs and entropies under the policies that sampled, from the training graph. */
  old: TokenScores[];
  /** Log-probs under the adapter-off base, in nats. */
  ref: AgentTokens;
}

/**
 * Scores every agent's tokens at the temperature they were sampled at. The training graph scores them, and not the
 * decoding graph, so that the ratio is exactly 1 until the first step.
 */
export async function scoreTeam(
  game: Game,
  policies: readonly Pick<Policy, 'score'>[],
  base: LanguageModel['base'],
  episodes: readonly Episode[],
): Promise<TeamScores> {
  const scores: TeamScores = { old: [], ref: [] };
  for (const [agent, { temperature }] of game.agents.entries()) {
    const utterances = utterancesOf(episodes, agent);
    scores.old.push(await at(policies, agent).score(utterances, temperature));
    scores.ref.push((await base.score(utterances, temperature)).logprobs);
  }
  return scores;
}

/** The critics' values of the prefix before each decision, in units of reward, 0 without a critic. `views[k]` is critic k's. */
export async function valueTokens(
  game: Game,
  critics: readonly Pick<Critic, 'values'>[],
  views: readonly CriticView[],
  episodes: readonly Episode[],
  level: AlgorithmSettings['level'],
): Promise<AgentTokens> {
  const values: AgentTokens = game.agents.map((_, agent) =>
    utterancesOf(episodes, agent).map(({ tokens }) => new Float32Array(decisionCount(tokens.length, level))),
  );
  for (const [k, view] of views.entries()) scatter(view, await at(critics, k).values(view.sequences), values);
  return values;
}
