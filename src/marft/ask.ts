/** A question of somebody's own, put to a team: played like an episode of its task, but neither judged nor learned from. */
import type { Policy } from '../engine/types.ts';
import { PlaygroundError } from '../runtime/errors.ts';
import type { Task } from '../tasks/types.ts';
import type { ChatTokenizer } from '../tokenizer/types.ts';
import { at } from './arrays.ts';
import type { Game } from './game.ts';
import type { Told } from './prompt.ts';
import { checkQuestion } from './question.ts';
import { rollout, spokenIds } from './rollout.ts';

/** A token that was said. */
export interface SpokenToken {
  id: number;
  /** As it should be shown, special tokens by name. */
  text: string;
  /** In nats, at the agent's temperature, of the whole distribution. */
  logprob: number;
}

/** What is heard while a team answers, in order; tokens belong to the turn before them. */
export type AnswerNews =
  | { type: 'turn'; agent: string; /** The exact prompt, special tokens visible. */ prompt: string }
  | { type: 'tokens'; tokens: SpokenToken[] }
  | { type: 'said'; /** All of it, special tokens dropped. */ text: string; /** Whether the limit of new tokens cut it off. */ truncated: boolean };

export interface Team {
  game: Game;
  task: Pick<Task, 'isOver' | 'respond'>;
  tokenizer: ChatTokenizer;
}

export interface AskOptions {
  /** Integers that key the random numbers. */
  key: readonly number[];
  /** Take the likeliest tokens instead of sampling. */
  greedy: boolean;
  signal: AbortSignal;
}

/**
 * `policies[i]` is agent i's. `listener` hears of every token as it is drawn. The question is text: whatever it says, it holds no special token and opens no turn.
 * Throws a PlaygroundError for a question that cannot be asked (`checkQuestion`, `prompt-too-long`) and when the signal ends it (`generation-stopped`).
 */
export async function ask(
  { game, task, tokenizer }: Team,
  policies: readonly Pick<Policy, 'generate'>[],
  told: Told,
  { key, greedy, signal }: AskOptions,
  listener: (news: AnswerNews) => void,
): Promise<void> {
  checkQuestion(told);
  const players = policies.map((policy, agent): Pick<Policy, 'generate'> => ({
    generate: async (prompts, options) => {
      listener({ type: 'turn', agent: at(game.agents, agent).name, prompt: Array.from(at(prompts, 0), (id) => tokenizer.tokenText(id)).join('') });
      const onTokens = (_: number, ids: readonly number[], logprobs: readonly number[]): void =>
        listener({ type: 'tokens', tokens: ids.map((id, k) => ({ id, text: tokenizer.tokenText(id), logprob: at(logprobs, k) })) });
      const generations = await policy.generate(prompts, { ...options, onTokens, signal });
      const said = at(generations, 0);
      listener({ type: 'said', text: tokenizer.decode(spokenIds(said)), truncated: said.truncated });
      return generations;
    },
  }));
  const problem = { id: 'asked', answer: '', ...told };
  try {
    await rollout(game, players, tokenizer, [problem], { key, greedy, isOver: task.isOver?.bind(task), respond: task.respond?.bind(task) });
  } catch (cause) {
    if (!(cause instanceof PlaygroundError) || cause.code !== 'prompt-too-long') throw cause;
    throw new PlaygroundError(cause.code, `The question is too long for this model. ${cause.message}`, 'Ask a shorter one.', { cause });
  }
}
