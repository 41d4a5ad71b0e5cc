/** An iteration that is still going on, as far as it has come: what slow motion shows between two stages. */
import type { Verdict } from '../tasks/types.ts';
import type { ChatTokenizer } from '../tokenizer/types.ts';
import type { BatchCredit, AgentTokens } from './assign-credit.ts';
import { decisionCount } from './decisions.ts';
import type { Game } from './game.ts';
import type { EpisodeRecord, Stage } from './records.ts';
import { utterancesOf, type Episode } from './rollout.ts';
import type { TeamScores } from './score.ts';
import { episodeRecords } from './transcripts.ts';
import type { PolicyUpdate } from './update-policy.ts';

/** Each part is there once its stage is done. */
export interface Progress {
  episodes?: Episode[];
  verdicts?: Verdict[];
  scores?: TeamScores;
  /** At action level, `[agents][utterances]`; null: tokens decide. */
  actionSizes?: number[][] | null;
  values?: AgentTokens;
  credit?: BatchCredit;
  /** By agent, in the order of the updates. */
  updates: Map<number, PolicyUpdate>;
}

/** A stage that has just been done, in an iteration that waits. */
export interface StageDone {
  iteration: number;
  stage: Stage;
  /** Whose it was; absent: the whole team's. */
  agent?: string;
  /** The first episodes as far as they are known; numbers that no stage has computed yet are 0. */
  episodes: EpisodeRecord[];
}

/** The first `limit` episodes, unknown numbers 0; none before the team has played. */
export function recordsSoFar(game: Game, tokenizer: ChatTokenizer, iteration: number, progress: Progress, limit: number): EpisodeRecord[] {
  const { episodes } = progress;
  if (episodes === undefined) return [];
  const level = progress.actionSizes ? 'action' : 'token';
  const zeros = (): AgentTokens => perAgent(game, episodes, (tokens) => new Float32Array(decisionCount(tokens.length, level)));
  const sampled = perAgent(game, episodes, (_, logprobs) => logprobs);
  const entropies = perAgent(game, episodes, (tokens) => new Float32Array(tokens.length));
  return episodeRecords(
    game,
    tokenizer,
    iteration,
    episodes,
    progress.verdicts ?? episodes.map(() => ({ reward: 0, parts: {} })),
    {
      scores: progress.scores ?? { old: game.agents.map((_, agent) => ({ logprobs: sampled[agent] ?? [], entropies: entropies[agent] ?? [] })), ref: sampled },
      actionSizes: progress.actionSizes ?? null,
      values: progress.values ?? zeros(),
      credit: progress.credit ?? { advantages: zeros(), returns: zeros(), outcomes: zeros(), rewards: zeros(), deltas: zeros() },
      newLogprobs: game.agents.map((_, agent) => progress.updates.get(agent)?.newLogprobs ?? null),
    },
    limit,
  );
}

function perAgent(game: Game, episodes: readonly Episode[], of: (tokens: Int32Array, logprobs: Float32Array) => Float32Array): AgentTokens {
  return game.agents.map((_, agent) => utterancesOf(episodes, agent).map(({ tokens, logprobs }) => of(tokens, logprobs)));
}
