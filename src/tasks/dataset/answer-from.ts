import { lastBoxed } from '../maths/extract-answer.ts';

/** How the answer is taken from its column: all of it; what follows the last `####`, as in GSM8K; the last `\boxed{…}`. */
export const ANSWER_FROM = ['whole', 'hashes', 'boxed'] as const;
export type AnswerFrom = (typeof ANSWER_FROM)[number];

/** The answer in a cell; null where there is none. */
export function answerFrom(cell: string, how: AnswerFrom): string | null {
  switch (how) {
    case 'whole':
      return cell.trim() || null;
    case 'boxed':
      return lastBoxed(cell) || null;
    case 'hashes': {
      const at = cell.lastIndexOf('####');
      return at < 0 ? null : cell.slice(at + 4).trim() || null;
    }
  }
}

/** How the answers of these cells are most likely to be taken. */
export function guessAnswerFrom(cells: readonly string[]): AnswerFrom {
  const every = (how: AnswerFrom): boolean => cells.length > 0 && cells.every((cell) => answerFrom(cell, how) !== null);
  return every('hashes') ? 'hashes' : every('boxed') ? 'boxed' : 'whole';
}
