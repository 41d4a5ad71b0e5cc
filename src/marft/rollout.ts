/** Playing episodes: the agents speak layer by layer, all problems at once (marft.md, section 2). */
import type { Policy, TokenSequence } from '../engine/types.ts';
import type { Problem } from '../tasks/types.ts';
import type { ChatTokenizer } from '../tokenizer/types.ts';
import { at } from './arrays.ts';
import type { Game } from './game.ts';
import { agentMessages, WORLD, type Reply, type Said } from './prompt.ts';
import { uniform } from '../random/random.ts';

/** One agent's action. Every one of its tokens is scored, the stop token included: the mask comes from generation. */
export interface Utterance extends TokenSequence {
  agent: number;
  /** Log-prob of each token as the decoding graph computed it, in nats. */
  logprobs: Float32Array;
  /** True when the length limit came before a stop token. */
  truncated: boolean;
}

export interface Episode {
  problem: Problem;
  /** One per agent and turn, in generation order. */
  utterances: Utterance[];
  /** What came back from the world after each turn but the last; absent where nothing did. */
  replies?: string[];
}

export interface RolloutOptions {
  /** Integers that key this rollout's random numbers: seed, purpose, iteration. */
  key: readonly number[];
  /** Take the likeliest tokens instead of sampling. */
  greedy: boolean;
  /** Whether an episode is over with the last of these answers, before its last turn; absent: never. */
  isOver?: ((problem: Problem, answers: readonly string[]) => boolean) | undefined;
  /** What comes back from the world after a turn; absent: nothing. */
  respond?: ((problem: Problem, answers: readonly string[]) => string) | undefined;
}

/** Agents that a team has at most; keeps the random numbers of turns apart. */
const MAX_AGENTS = 8;

/** Plays every problem once. `policies[i]` is agent i's; `[problems]` episodes come back. */
export async function rollout(
  game: Game,
  policies: readonly Pick<Policy, 'generate'>[],
  tokenizer: ChatTokenizer,
  problems: readonly Problem[],
  { key, greedy, isOver = () => false, respond }: RolloutOptions,
): Promise<Episode[]> {
  const episodes = problems.map((problem): Episode => ({ problem, utterances: [] }));
  let playing = [...episodes.keys()];
  for (let turn = 0; turn < game.horizon && playing.length > 0; turn++) {
    const earlier = episodes.map((episode) => spokenSoFar(game, episode));
    for (const agent of game.order) {
      const prompts = playing.map((row) => {
        const { problem, utterances } = at(episodes, row);
        const said = utterances.slice(turn * game.order.length).map(toSaid);
        const messages = agentMessages(game, agent, problem, said, at(earlier, row));
        return tokenizer.chat(messages, true).ids;
      });
      const { maxNewTokens, temperature, topK, topP, minP } = at(game.agents, agent);
      const generations = await at(policies, agent).generate(prompts, {
        maxNewTokens,
        temperature,
        greedy,
        uniform: (k, position) => uniform(...key, at(playing, k), turn * MAX_AGENTS + agent, position),
        stopIds: tokenizer.stopIds,
        bannedIds: tokenizer.bannedIds,
        truncation: { topK, topP, minP },
      });
      playing.forEach((row, k) => {
        const { tokens, logprobs, truncated } = at(generations, k);
        at(episodes, row).utterances.push({ agent, prompt: at(prompts, k), tokens, logprobs, truncated });
      });
    }
    playing = playing.filter((row) => {
      const episode = at(episodes, row);
      return !isOver(episode.problem, answersOf(episode, game.answerer, tokenizer));
    });
    if (respond === undefined || turn === game.horizon - 1) continue;
    for (const row of playing) {
      const episode = at(episodes, row);
      (episode.replies ??= []).push(respond(episode.problem, answersOf(episode, game.answerer, tokenizer)));
    }
  }
  return episodes;
}

/** All that was said in an episode, and after each turn what came back from the world. */
export function spokenSoFar(game: Game, { utterances, replies = [] }: Episode): (Said<Int32Array> | Reply)[] {
  return utterances.flatMap((utterance, k) => {
    const reply = (k + 1) % game.order.length === 0 ? replies[(k + 1) / game.order.length - 1] : undefined;
    return reply === undefined ? [toSaid(utterance)] : [toSaid(utterance), { agent: WORLD, content: reply } as const];
  });
}

/**
 * An utterance's tokens without the stop token. Generation says whether there is one; ids are not compared, since a
 * tokenizer may pad with the very id that stops.
 */
export function spokenIds({ tokens, truncated }: Pick<Utterance, 'tokens' | 'truncated'>): Int32Array {
  return truncated ? tokens : tokens.subarray(0, Math.max(0, tokens.length - 1));
}

/** What one agent said in each turn of an episode, as text. */
export function answersOf({ utterances }: Episode, agent: number, tokenizer: ChatTokenizer): string[] {
  return utterances.filter((one) => one.agent === agent).map((one) => tokenizer.decode(spokenIds(one)));
}

/** An utterance as the prompts of others show it. */
export function toSaid(utterance: Utterance): Said<Int32Array> {
  return { agent: utterance.agent, content: spokenIds(utterance) };
}

/** Everything that one agent said, in the order of episodes and, within one, of turns; it may have said nothing. */
export function utterancesOf(episodes: readonly Episode[], agent: number): Utterance[] {
  return episodes.flatMap(({ utterances }) => utterances.filter((one) => one.agent === agent));
}

/** The place of each utterance in its agent's `utterancesOf`, `[episodes][utterances]`. */
export function slotsOf(game: Game, episodes: readonly Episode[]): number[][] {
  const next = game.agents.map(() => 0);
  return episodes.map(({ utterances }) =>
    utterances.map(({ agent }) => {
      const slot = at(next, agent);
      next[agent] = slot + 1;
      return slot;
    }),
  );
}
