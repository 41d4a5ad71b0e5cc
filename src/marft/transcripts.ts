/** The transcripts of an iteration, with everything that was computed for each token. */
import type { Verdict } from '../tasks/types.ts';
import type { ChatTokenizer } from '../tokenizer/types.ts';
import { at } from './arrays.ts';
import type { BatchCredit, AgentTokens } from './assign-credit.ts';
import type { Game } from './game.ts';
import { k3, ratio } from './objective.ts';
import { SECRET_KEEPER } from './prompt.ts';
import type { EpisodeRecord, TokenRecord, UtteranceRecord } from './records.ts';
import { spokenIds, type Episode, type Utterance } from './rollout.ts';
import type { TeamScores } from './score.ts';

/** All that an iteration computed per token; arrays are `[agents][episodes][tokens]`. */
export interface TokenFindings {
  scores: TeamScores;
  values: AgentTokens;
  credit: BatchCredit;
  /** By agent; null where no step was applied. */
  newLogprobs: readonly (readonly Float32Array[] | null)[];
}

/** The first `limit` episodes as plain JSON. */
export function episodeRecords(
  game: Game,
  tokenizer: ChatTokenizer,
  iteration: number,
  episodes: readonly Episode[],
  verdicts: readonly Verdict[],
  findings: TokenFindings,
  limit: number,
): EpisodeRecord[] {
  return episodes.slice(0, limit).map(({ problem, utterances }, episode) => ({
    iteration,
    episode,
    question: problem.question,
    privateQuestions: problem.secret === undefined ? {} : { [at(game.agents, SECRET_KEEPER).name]: problem.secret },
    expected: problem.answer,
    reward: at(verdicts, episode).reward,
    rewardParts: at(verdicts, episode).parts,
    utterances: utterances.map(
      (utterance): UtteranceRecord => ({
        agent: at(game.agents, utterance.agent).name,
        prompt: Array.from(utterance.prompt, (id) => tokenizer.tokenText(id)).join(''),
        text: tokenizer.decode(spokenIds(utterance)),
        truncated: utterance.truncated,
        tokens: tokenRecords(tokenizer, utterance, episode, findings),
      }),
    ),
  }));
}

function tokenRecords(
  tokenizer: ChatTokenizer,
  { agent, tokens }: Utterance,
  episode: number,
  { scores, values, credit, newLogprobs }: TokenFindings,
): TokenRecord[] {
  const of = (numbers: readonly Float32Array[], t: number): number => at(at(numbers, episode), t);
  const old = at(scores.old, agent);
  const after = newLogprobs[agent] ?? null;
  return Array.from(tokens, (id, t) => {
    const logprob = of(old.logprobs, t);
    const newLogprob = after === null ? null : of(after, t);
    return {
      id,
      text: tokenizer.tokenText(id),
      logprob,
      newLogprob,
      ratio: newLogprob === null ? null : ratio(newLogprob, logprob),
      entropy: of(old.entropies, t),
      refKl: k3(of(at(scores.ref, agent), t) - logprob),
      value: of(at(values, agent), t),
      advantage: of(at(credit.advantages, agent), t),
      reward: of(at(credit.rewards, agent), t),
      delta: of(at(credit.deltas, agent), t),
    };
  });
}
