/**
 * What the critic reads. The centralised critic reads the global transcript, whatever D hides from the acting agent; in
 * the acting-agent view it reads what that agent reads. Token t of an utterance is valued at the position before it.
 */
import type { ValuedSequence } from '../engine/types.ts';
import type { ChatTokenizer, RenderedChat } from '../tokenizer/types.ts';
import { at, concat, splitLike } from './arrays.ts';
import type { AgentTokens } from './assign-credit.ts';
import { decisionCount } from './decisions.ts';
import type { Game } from './game.ts';
import { methodOf } from './methods.ts';
import { transcriptMessages } from './prompt.ts';
import { slotsOf, spokenSoFar, type Episode, type Utterance } from './rollout.ts';
import type { AlgorithmSettings } from './settings.ts';

/** A run of decisions in a valued sequence: one utterance's. */
interface Span {
  agent: number;
  /** Which of the agent's utterances. */
  slot: number;
  /** Decisions. */
  length: number;
}

/** One critic's batch: sequences, and whose decisions each one's positions stand for, in order. */
export interface CriticView {
  sequences: ValuedSequence[];
  spans: Span[][];
}

/**
 * A view per critic: one of the whole team, or for independent PPO one per agent. At action level an utterance has one value, that of
 * what was there before it.
 */
export function criticViews(
  game: Game,
  tokenizer: ChatTokenizer,
  episodes: readonly Episode[],
  algorithm: Pick<AlgorithmSettings, 'method' | 'level'> & { critic: Pick<AlgorithmSettings['critic'], 'view'> },
): CriticView[] {
  const { critics } = methodOf(algorithm);
  if (critics === 'none') return [];
  const spans = spansOf(game, episodes, algorithm.level);
  if (critics === 'per-agent') {
    return game.agents.map((_, agent) => actingAgentView(episodes, spans, (utterance) => utterance.agent === agent));
  }
  if (algorithm.critic.view === 'acting-agent') return [actingAgentView(episodes, spans, () => true)];
  return [globalView(game, tokenizer, episodes, spans)];
}

/** `[episodes][utterances]`. */
function spansOf(game: Game, episodes: readonly Episode[], level: AlgorithmSettings['level']): Span[][] {
  const slots = slotsOf(game, episodes);
  return episodes.map(({ utterances }, episode) =>
    utterances.map(({ agent, tokens }, k) => ({
      agent,
      slot: at(at(slots, episode), k),
      length: decisionCount(tokens.length, level),
    })),
  );
}

/** One sequence per episode: everything said so far. */
function globalView(game: Game, tokenizer: ChatTokenizer, episodes: readonly Episode[], spans: Span[][]): CriticView {
  return {
    sequences: episodes.map((episode, k) => {
      const rendered = tokenizer.chat(transcriptMessages(game, episode.problem, spokenSoFar(game, episode)), false);
      return transcriptSequence(rendered, at(spans, k).map(({ length }) => length));
    }),
    spans,
  };
}

/** One sequence per utterance: its own prompt and tokens. */
function actingAgentView(episodes: readonly Episode[], spans: Span[][], includes: (utterance: Utterance) => boolean): CriticView {
  const view: CriticView = { sequences: [], spans: [] };
  episodes.forEach(({ utterances }, episode) => {
    utterances.forEach((utterance, k) => {
      if (!includes(utterance)) return;
      const span = at(at(spans, episode), k);
      const { ids, positions } = utteranceSequence(utterance);
      view.sequences.push({ ids, positions: positions.subarray(0, span.length) });
      view.spans.push([span]);
    });
  });
  return view;
}

/**
 * Where the tokens of a transcript's utterances are valued. `lengths` are numbers of generated tokens, the stop token
 * included, or 1 where only the first one is valued: token t of a part that starts at s has the position s + t − 1, and this holds for a stop token too, which the
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

/** Numbers per decision in the order of a view's positions, `[sequences][positions]`. */
export function gather({ spans }: CriticView, tokens: AgentTokens): Float32Array[] {
  return spans.map((ofSequence) => concat(ofSequence.map(({ agent, slot }) => at(at(tokens, agent), slot))));
}

/** The inverse of `gather`: writes a view's numbers into `into`, `[agents][utterances][decisions]`. */
export function scatter({ spans }: CriticView, numbers: readonly Float32Array[], into: AgentTokens): void {
  spans.forEach((ofSequence, sequence) => {
    splitLike(at(numbers, sequence), ofSequence).forEach((piece, k) => {
      const { agent, slot } = at(ofSequence, k);
      at(into, agent)[slot] = piece;
    });
  });
}
