/** What the page and its training worker say to each other about a question of the user's own. */
import type { AnswerNews } from '../../marft/ask.ts';

/** The team as the base model plays it, and as it was trained. */
export type Side = 'base' | 'trained';
export const SIDES: readonly Side[] = ['base', 'trained'];

export interface Asked {
  question: string;
  /** What only the first agent is told; absent: nothing. */
  secret?: string;
  /** Take the likeliest tokens instead of sampling. */
  greedy: boolean;
}

/** A question of the task's own, none of those that are trained on. */
export interface ExampleQuestion {
  question: string;
  secret?: string;
  answer: string;
}

export type AnswerListener = (side: Side, news: AnswerNews) => void;

/** `stopped`: by the user, or because something else needed the team. */
export type AnswerEnd = 'complete' | 'stopped';
