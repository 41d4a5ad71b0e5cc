/**
 * What the critic reads. The centralised critic reads the global transcript, whatever D hides from the acting agent; in
 * the acting-agent view it reads what that agent reads. Token t of an utterance is valued at the position before it.
 */
import type { ValuedSequence } from '../engine/types.ts';
import type { ChatTokenizer, RenderedChat } from '../tokenizer/types.ts';
import { at, concat, splitLike } from './arrays.ts';
import type { AgentTokens } from './assign-credit.ts';
import type { Game } from './game.ts';
import { transcriptMessages } from './prompt.ts';
import { toSaid, type Episode, type Utterance } from './rollout.ts';
import type { AlgorithmSettings } from './settings.ts';

/** A run of tokens in a valued sequence: one utterance's. */
interface Span {
  agent: number;
  episode: number;
  length: number;
}

/** One critic's batch: sequences, and whose tokens each one's positions stand for, in order. */
export interface CriticView {
  sequences: ValuedSequence[];
  spans: Span[][];
}

/** A view per critic: one of the whole team, or for independent PPO one per agent. */
export function criticViews(
  game: Game,
  tokenizer: ChatTokenizer,
  episodes: readonly Episode[],
  algorithm: Pick<AlgorithmSettings, 'method'> & { critic: Pick<AlgorithmSettings['critic'], 'view'> },
): CriticView[] {
  if (algorithm.method === 'ippo') {
    return game.agents.map((_, agent) => actingAgentView(episodes, (utterance) => utterance.agent === agent));
  }
  if (algorithm.critic.view === 'acting-agent') return [actingAgentView(episodes, () => true)];
  return [globalView(game, tokenizer, episodes)];
}

/** One sequence per episode: everything said so far. */
function globalView(game: Game, tokenizer: ChatTokenizer, episodes: readonly Episode[]): CriticView {
  return {
    sequences: episodes.map(({ problem, utterances }) => {
      const rendered = tokenizer.chat(transcriptMessages(game, problem, utterances.map(toSaid)), false);
      return transcriptSequence(rendered, utterances.map(({ tokens }) => tokens.length));
    }),
    spans: episodes.map(({ utterances }, episode) => utterances.map((utterance) => spanOf(utterance, episode))),
  };
}

/** One sequence per utterance: its own prompt and tokens. */
function actingAgentView(episodes: readonly Episode[], includes: (utterance: Utterance) => boolean): CriticView {
  const view: CriticView = { sequences: [], spans: [] };
  episodes.forEach(({ utterances }, episode) => {
    for (const utterance of utterances.filter(includes)) {
      view.sequences.push(utteranceSequence(utterance));
      view.spans.push([spanOf(utterance, episode)]);
    }
  });
  return view;
}

/**
 * Where the tokens of a transcript's utterances are valued. `lengths` are numbers of generated tokens, the stop token
 * included: token t of a part that starts at s has the position s + t − 1, and this holds for a stop token too, which the
 * part does not show (its prefix ends with the part's last token). Throws a RangeError when parts and lengths differ in
 * number.
 */
export function transcriptSequence({ ids, idPartStarts }: RenderedChat, lengths: readonly number[]): ValuedSequence {
  if (idPartStarts.length !== lengths.length) {
    throw new RangeError(`${idPartStarts.length} id parts for ${lengths.length} utterances`);
  }
  const positions = lengths.flatMap((length, part) =>
    Array.from({ length }, (_, t) => at(idPartStarts, part) + t - 1),
  );
  return { ids, positions: Int32Array.from(positions) };
}

/** An utterance behind its own prompt. The last token is not read: nothing is valued after it. */
export function utteranceSequence({ prompt, tokens }: Pick<Utterance, 'prompt' | 'tokens'>): ValuedSequence {
  const ids = new Int32Array(prompt.length + tokens.length);
  ids.set(prompt);
  ids.set(tokens, prompt.length);
  return {
    ids: ids.subarray(0, prompt.length + Math.max(0, tokens.length - 1)),
    positions: Int32Array.from(tokens, (_, t) => prompt.length + t - 1),
  };
}

/** Numbers per token in the order of a view's positions, `[sequences][positions]`. */
export function gather({ spans }: CriticView, tokens: AgentTokens): Float32Array[] {
  return spans.map((ofSequence) => concat(ofSequence.map(({ agent, episode }) => at(at(tokens, agent), episode))));
}

/** The inverse of `gather`: writes a view's numbers into `into`, `[agents][episodes][tokens]`. */
export function scatter({ spans }: CriticView, numbers: readonly Float32Array[], into: AgentTokens): void {
  spans.forEach((ofSequence, sequence) => {
    splitLike(at(numbers, sequence), ofSequence).forEach((piece, k) => {
      const { agent, episode } = at(ofSequence, k);
      at(into, agent)[episode] = piece;
    });
  });
}

function spanOf({ agent, tokens }: Utterance, episode: number): Span {
  return { agent, episode, length: tokens.length };
}
