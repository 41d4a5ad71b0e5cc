/**
 * What an agent is shown, and what the critic is shown, as chat messages. The lines of a user turn are joined by
 * newlines. An utterance goes in as the ids that were sampled, never as their decoded text, so that the successor's
 * prompt holds exactly what was said and no text in it can forge a turn. Pre-training corpora are written by these same
 * functions.
 */
import type { Problem } from '../tasks/types.ts';
import type { ChatMessage, ContentPart } from '../tokenizer/types.ts';
import { at } from './arrays.ts';
import { parentsOf, remembersOf, type Game } from './game.ts';

/** What an agent said, without the stop token: its ids, or its text when the listener has another tokenizer. */
export interface Said<Content extends ContentPart = ContentPart> {
  agent: number;
  content: Content;
}

/** Who says what comes back from the world. */
export const WORLD = -1;

/** What came back from the world after a turn, to be placed among what was said. */
export interface Reply {
  agent: typeof WORLD;
  content: string;
}

/** What prompts use of a problem. */
export type Told = Pick<Problem, 'question' | 'secret'>;

/** The first agent, and it alone, is told a problem's secret. */
export const SECRET_KEEPER = 0;

/** How others call an agent: its name, or its number counted from 1 in an anonymous team. */
export function agentLabel(game: Game, agent: number): string {
  return game.roles === 'anonymous' ? `agent ${agent + 1}` : at(game.agents, agent).name;
}

/** Who an agent is told to be. */
export function systemPrompt(game: Game, agent: number): string {
  return game.roles === 'anonymous' ? `You are agent ${agent + 1} of a team.` : at(game.agents, agent).profile;
}

/**
 * The messages that an agent acts on: its profile; then the question, the secret if it keeps it, what it remembers of earlier
 * turns and what then came back from the world, each parent's utterance of this turn in generation order and its instruction. Throws a RangeError when a parent has not
 * spoken in this turn.
 */
export function agentMessages(
  game: Game,
  agent: number,
  problem: Told,
  said: readonly Said[],
  earlier: readonly (Said | Reply)[] = [],
): ChatMessage[] {
  const lines: ContentPart[][] = [[problem.question]];
  if (agent === SECRET_KEEPER && problem.secret !== undefined) lines.push([secretLine(problem.secret)]);
  const remembered = remembersOf(game, agent);
  for (const { agent: speaker, content } of earlier) {
    if (speaker === WORLD) lines.push([content]);
    else if (remembered.includes(speaker)) lines.push([`${agentLabel(game, speaker)}: `, content]);
  }
  for (const parent of parentsOf(game, agent)) {
    const utterance = said.find((one) => one.agent === parent);
    if (utterance === undefined) throw new RangeError(`agent ${agent} hears agent ${parent}, who has not spoken yet`);
    lines.push([`${agentLabel(game, parent)}: `, utterance.content]);
  }
  const { instruction } = at(game.agents, agent);
  if (instruction !== '') lines.push([instruction]);
  return [
    { role: 'system', content: [systemPrompt(game, agent)] },
    { role: 'user', content: joinLines(lines) },
  ];
}

/** The global transcript that a centralised critic reads, whatever D hides: everything said, and what came back from the world, in order. */
export function transcriptMessages(game: Game, problem: Told, said: readonly (Said<Int32Array> | Reply)[]): ChatMessage[] {
  const lines: ContentPart[][] = [[problem.question]];
  if (problem.secret !== undefined) lines.push([secretLine(problem.secret)]);
  return [
    { role: 'system', content: ['Transcript of a team.'] },
    { role: 'user', content: joinLines(lines) },
    ...said.map(({ agent, content }): ChatMessage =>
      agent === WORLD ? { role: 'user', content: [content] } : { role: 'assistant', content: [`${agentLabel(game, agent)}: `, content] },
    ),
  ];
}

function secretLine(secret: string): string {
  return `secret: ${secret}`;
}

/** Lines joined by newlines, neighbouring strings merged: a tokenizer may merge across what would be their border. */
function joinLines(lines: readonly (readonly ContentPart[])[]): ContentPart[] {
  const parts: ContentPart[] = [];
  for (const part of lines.flatMap((line, index) => (index === 0 ? line : ['\n', ...line]))) {
    const last = parts.at(-1);
    if (typeof part === 'string' && typeof last === 'string') parts[parts.length - 1] = last + part;
    else parts.push(part);
  }
  return parts;
}
