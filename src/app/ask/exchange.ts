/** A question and what has been heard of its answers so far. */
import type { AnswerNews, SpokenToken } from '../../marft/ask.ts';
import type { Asked, Side } from './protocol.ts';

/** What an agent has said so far. */
export interface HeardUtterance {
  agent: string;
  prompt: string;
  tokens: readonly SpokenToken[];
  /** All of it as text; null while it is still coming. */
  text: string | null;
  truncated: boolean;
}

/** `coming`: it is still being answered · `stopped`: before it was complete · `failed`: something went wrong. */
export type ExchangeState = 'coming' | 'complete' | 'stopped' | 'failed';

export interface Exchange {
  asked: Asked;
  /** The answer that was expected, where the question is one of the task's own; null where nobody knows. */
  expected: string | null;
  /** Iterations that the trained team had behind it. */
  iteration: number;
  answers: Readonly<Record<Side, readonly HeardUtterance[]>>;
  state: ExchangeState;
}

export function newExchange(asked: Asked, iteration: number, expected: string | null): Exchange {
  return { asked, expected, iteration, answers: { base: [], trained: [] }, state: 'coming' };
}

/** The exchange with what was heard last. */
export function heard(exchange: Exchange, side: Side, news: AnswerNews): Exchange {
  return { ...exchange, answers: { ...exchange.answers, [side]: withNews(exchange.answers[side], news) } };
}

/** What a side answered, as text; null before it has. */
export function answerOf({ state, answers }: Exchange, side: Side): string | null {
  // The answering agent speaks last; after the base team's answer the trained one's begins.
  const isComplete = state === 'complete' || (side === 'base' && answers.trained.length > 0);
  return isComplete ? (answers[side].at(-1)?.text?.trim() ?? null) : null;
}

function withNews(utterances: readonly HeardUtterance[], news: AnswerNews): HeardUtterance[] {
  if (news.type === 'turn') return [...utterances, { agent: news.agent, prompt: news.prompt, tokens: [], text: null, truncated: false }];
  const last = utterances.at(-1);
  if (!last) return [];
  const more = news.type === 'tokens' ? { tokens: [...last.tokens, ...news.tokens] } : { text: news.text, truncated: news.truncated };
  return [...utterances.slice(0, -1), { ...last, ...more }];
}

/** What is known of how the team stands to be asked. */
export interface Standing {
  status: 'idle' | 'opening' | 'open' | 'training' | 'pausing' | 'finished' | 'broken';
  /** Whether a session is open, between two iterations. */
  atRest: boolean;
  /** Whether an iteration waits in its middle. */
  held: boolean;
}

/** Why nobody can be asked now, in a sentence; null: the team can. */
export function whyNot({ status, atRest, held }: Standing): string | null {
  if (atRest) return null;
  if (held) return 'An iteration waits in the middle. Finish it, then ask.';
  if (status === 'training') return 'The team is training. Pause, then ask.';
  if (status === 'pausing') return 'The team finishes its iteration; then it can be asked.';
  if (status === 'opening') return 'The model is being loaded; then the team can be asked.';
  if (status === 'broken') return 'The training worker has stopped. Restart it and train, then ask.';
  return 'There is no team here yet: press Train or One iteration, and ask when the run is paused or finished.';
}
