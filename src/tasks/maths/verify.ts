import type { Verdict } from '../types.ts';
import { parseAnswer } from './answer.ts';
import { areEquivalent } from './equivalent.ts';
import { extractAnswer, extractChoice, lastBoxed } from './extract-answer.ts';

/** An utterance beyond this many characters is judged by its end, where the answer stands: time is bounded whatever comes. */
const MAX_UTTERANCE = 20_000;

const CHOICE = /^\s*(?:\\text\s*\{)?\s*\(?([A-J])\)?\s*\}?\s*$/;

/** Whether two written answers are the same mathematically; false when either cannot be read. Never throws. */
export function sameAnswer(expected: string, given: string): boolean {
  const [a, b] = [parseAnswer(expected), parseAnswer(given)];
  return a !== null && b !== null && areEquivalent(a, b);
}

/**
 * Judges an utterance that solves a mathematical problem. Parts: `correct`, the reward; `boxed`, whether the answer was
 * given in `\boxed{…}` as asked for. Never throws, whatever the text.
 */
export function verifyMaths(expected: string, utterance: string): Verdict {
  const text = utterance.slice(-MAX_UTTERANCE);
  const choice = CHOICE.exec(expected)?.[1];
  const given = choice === undefined ? extractAnswer(text) : extractChoice(text);
  const correct = given !== null && (choice === undefined ? sameAnswer(expected, given) : given === choice) ? 1 : 0;
  return { reward: correct, parts: { correct, boxed: lastBoxed(text) === null ? 0 : 1 } };
}
