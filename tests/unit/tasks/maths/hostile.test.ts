/**
 * Whatever a language model writes is judged in little time: what would keep a backtracking reader busy for minutes would here run into the
 * test's time limit.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_ANSWER_LENGTH } from '../../../../src/tasks/maths/answer.ts';
import { sameAnswer, verifyMaths } from '../../../../src/tasks/maths/verify.ts';

/** Pieces that readers of formulas stumble over, repeated to the longest text that is looked at. */
const PIECES = [
  '\\boxed{', '\\boxed{1}', '\\fbox ', '{', '}', '\\', '\\\\', '$', '$$', '\\(', '\\[', '(', '[', '|', '\\{', '\\frac', '\\frac{', '\\frac12', '\\sqrt', '\\sqrt[', '\\left(', '\\begin{pmatrix}', '&', '\\text{', '\\text{ and }',
  '1', '0', '9', '1,', '1,000', '1.', '.', '1/', '1 / ', '%', '\\%', '^', '^9', '^{9', '9^', '9^9^', '!', '9!', '_', '-', '+', '=', 'x=', 'answer is', 'answer is ', '#### ', ': ', ' ', '\t', '\n', 'A', '(A)', '(A', '\\cup', ',', ';', 'e', 'pi', '\\pi', 'sin', 'x', 'xyz', '\\overline{', '∞', '\u0301', '😀', '\u0000',
] as const;
const EXPECTED = ['5', '\\frac{1}{2}', '(B)', '[1, 2)', '\\{1, 2, 3\\}', '\\begin{pmatrix} 1 & 2 \\\\ 3 & 4 \\end{pmatrix}', 'x=5', '50\\%', '9^{9^9}', '170!', 'x^2+y'];

describe('hostile answers', () => {
  it.each(PIECES)('%j, over and over', (piece) => {
    const long = piece.repeat(Math.ceil(30_000 / piece.length));
    const short = piece.repeat(Math.ceil(MAX_ANSWER_LENGTH / piece.length)).slice(0, MAX_ANSWER_LENGTH);
    for (const expected of EXPECTED) {
      for (const text of [long, `\\boxed{${short}}`, `answer is ${long}`, `\\boxed{${long}`, `${long} 1`]) {
        const { reward, parts } = verifyMaths(expected, text);
        expect([0, 1]).toContain(reward);
        expect(parts['correct']).toBe(reward);
      }
      expect(typeof sameAnswer(short, expected)).toBe('boolean');
    }
    expect(typeof sameAnswer(short, short)).toBe('boolean');
  });

  it('and any mixture of such pieces, as the answer and as what is expected', () => {
    const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 200 }).map((pieces) => pieces.join(''));
    const repeated = fc.tuple(text, fc.integer({ min: 1, max: 100 })).map(([part, times]) => part.repeat(times).slice(0, 20_000));
    fc.assert(
      fc.property(fc.oneof(text, fc.constantFrom(...EXPECTED)), fc.oneof(text, repeated, fc.string({ unit: 'binary', maxLength: 400 })), (expected, given) => {
        expect([0, 1]).toContain(verifyMaths(expected, given).reward);
        expect([0, 1]).toContain(verifyMaths(expected, `\\boxed{${given}}`).reward);
      }),
      { numRuns: 400 },
    );
  });
});
