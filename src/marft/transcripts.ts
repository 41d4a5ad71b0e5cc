/** The transcripts of an iteration, with everything that was computed for each token. */
import type { Verdict } from '../tasks/types.ts';
import type { ChatTokenizer } from '../tokenizer/types.ts';
import { at } from './arrays.ts';
import type { BatchCredit, AgentTokens } from './assign-credit.ts';
import { decisionOf } from './decisions.ts';
import type { Game } from './game.ts';
import { k3, ratio } from './objective.ts';
import { SECRET_KEEPER } from './prompt.ts';
import type { EpisodeRecord, TokenRecord, UtteranceRecord } from './records.ts';
import { slotsOf, spokenIds, type Episode, type Utterance } from './rollout.ts';
import type { TeamScores } from './score.ts';

/** All that an iteration computed; arrays are `[agents][utterances][tokens]`, values and credit per decision. */
export interface TokenFindings {
  scores: TeamScores;
  /** At action level, what each utterance's log-ratio is divided by, `[agents][utterances]`; null: tokens decide. */
  actionSizes: readonly (readonly number[])[] | null;
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
  const slots = slotsOf(game, episodes);
  return episodes.slice(0, limit).map(({ problem, utterances }, episode) => ({
    iteration,
    episode,
    question: problem.question,
    privateQuestions: problem.secret === undefined ? {} : { [at(game.agents, SECRET_KEEPER).name]: problem.secret },
    expected: problem.answer,
    reward: at(verdicts, episode).reward,
    rewardParts: at(verdicts, episode).parts,
    utterances: utterances.map(
      (utterance, k): UtteranceRecord => ({
        agent: at(game.agents, utterance.agent).name,
        prompt: Array.from(utterance.prompt, (id) => tokenizer.tokenText(id)).join(''),
        text: tokenizer.decode(spokenIds(utterance)),
        truncated: utterance.truncated,
        tokens: tokenRecords(tokenizer, utterance, at(at(slots, episode), k), findings),
      }),
    ),
  }));
}

function tokenRecords(
  tokenizer: ChatTokenizer,
  { agent, tokens }: Utterance,
  slot: number,
  { scores, actionSizes, values, credit, newLogprobs }: TokenFindings,
): TokenRecord[] {
  const level = actionSizes === null ? 'token' : 'action';
  const of = (numbers: readonly Float32Array[], t: number): number => at(at(numbers, slot), t);
  const shared = (numbers: AgentTokens, t: number): number => of(at(numbers, agent), decisionOf(t, level));
  // What arrives once for a whole utterance is shown at its last token.
  const arriving = (numbers: AgentTokens, t: number): number =>
    level === 'token' || t === tokens.length - 1 ? shared(numbers, t) : 0;
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
      value: shared(values, t),
      advantage: shared(credit.advantages, t),
      reward: arriving(credit.rewards, t),
      delta: arriving(credit.deltas, t),
    };
  });
}
