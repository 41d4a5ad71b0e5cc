import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { extractAnswer, extractChoice } from '../../../../src/tasks/maths/extract-answer.ts';
import { verifyMaths } from '../../../../src/tasks/maths/verify.ts';

describe('the answer of an utterance', () => {
  it.each([
    ['\\boxed{5}', '5'],
    ['So it is $\\boxed{\\frac{1}{2}}$.', '\\frac{1}{2}'],
    ['\\boxed{\\left\\{1, \\frac{a}{b}\\right\\}}', '\\left\\{1, \\frac{a}{b}\\right\\}'],
    ['First \\boxed{3}, no: \\boxed{4}.', '4'],
    ['\\boxed{3} and then \\boxed{4', '3'],
    ['\\boxed 7', '7'],
    ['\\fbox{9}', '9'],
    ['The answer is 12.', '12'],
    ['The answer is 3.5.', '3.5'],
    ['The answer is: $\\frac{3}{4}$. Done 100.', '\\frac{3}{4}'],
    ['**Answer:** **18**', '18'],
    ['the final answer is \\(x+1\\)', 'x+1'],
    ['Janet sells 9 eggs.\n#### 18', '18'],
    ['#### 1,234', '1,234'],
    ['It costs 3 apples, hence 12 in all', '12'],
    ['It is -7', '-7'],
    ['about 3/4 of it', '3/4'],
    ['in total 1,250.50', '1,250.50'],
    ['a discount of 15%', '15%'],
    ['nothing to see', null],
    ['', null],
  ])('of %j is %j', (utterance, answer) => {
    expect(extractAnswer(utterance)).toBe(answer);
  });

  it.each([
    ['\\boxed{C}', 'C'],
    ['\\boxed{\\text{(B)}}', 'B'],
    ['The answer is (D).', 'D'],
    ['Between A and B, I choose B', 'B'],
    ["I'd take neither", null],
    ['A cat', 'A'],
  ])('as a choice, of %j is %j', (utterance, answer) => {
    expect(extractChoice(utterance)).toBe(answer);
  });
});

describe('the verifier of maths answers', () => {
  it('gives the reward for the last answer only, however many are offered', () => {
    expect(verifyMaths('3', '\\boxed{3} or \\boxed{4}').reward).toBe(0);
    expect(verifyMaths('4', '\\boxed{3} or \\boxed{4}').reward).toBe(1);
  });

  it('says apart whether the answer was boxed', () => {
    expect(verifyMaths('3', 'The answer is 3.')).toEqual({ reward: 1, parts: { correct: 1, boxed: 0 } });
    expect(verifyMaths('3', '\\boxed{4}')).toEqual({ reward: 0, parts: { correct: 0, boxed: 1 } });
  });

  it('never takes a hundredth or a hundredfold for the same', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9999 }), (n) => {
        expect(verifyMaths(String(n), `\\boxed{${n / 100}}`).reward).toBe(0);
        expect(verifyMaths(String(n / 100), `\\boxed{${n}}`).reward).toBe(0);
      }),
      { numRuns: 50 },
    );
  });

  it('accepts every rational in any of its spellings, and no other one', () => {
    const nonZero = fc.integer({ min: -200, max: 200 }).filter((n) => n !== 0);
    fc.assert(
      fc.property(fc.integer({ min: -500, max: 500 }), nonZero, nonZero, (p, q, k) => {
        expect(verifyMaths(`\\frac{${p}}{${q}}`, `\\boxed{\\frac{${p * k}}{${q * k}}}`).reward).toBe(1);
        expect(verifyMaths(`\\frac{${p}}{${q}}`, `it is ${p * k}/${q * k}`).reward).toBe(q * k > 0 ? 1 : 0);
        expect(verifyMaths(`\\frac{${p}}{${q}}`, `\\boxed{\\frac{${p + 1}}{${q}}}`).reward).toBe(0);
      }),
      { numRuns: 100 },
    );
  });

  it('answers false, and throws nothing, for any text at all', () => {
    const pieces = fc.constantFrom('\\frac', '{', '}', '(', '[', '\\boxed{', '^', '_', '9', 'x', '!', '\\sqrt', '\\begin{pmatrix}', '&', '\\\\', ',', '=', '\\pm', '\\%', '\\text{', ' ');
    const nonsense = fc.oneof(fc.string({ maxLength: 300 }), fc.array(pieces, { maxLength: 120 }).map((parts) => parts.join('')));
    fc.assert(fc.property(nonsense, nonsense, (expected, given) => [0, 1].includes(verifyMaths(expected, given).reward)), { numRuns: 500 });
  });

  it.each([
    ['a tower of powers', '9^{9^{9^{9}}}'],
    ['a huge power', '\\boxed{(123456789)^{123456789}}'],
    ['a huge factorial', '\\boxed{99999999!}'],
    ['a root of a number with 300 digits', `\\boxed{\\sqrt{${'7'.repeat(300)}}}`],
    ['brackets without end', '('.repeat(20_000)],
    ['an answer of a million characters', `\\boxed{${'1+'.repeat(500_000)}1}`],
    ['boxes without end', '\\boxed{'.repeat(3_000)],
    ['commas without end', `\\boxed{${','.repeat(390)}}`],
    ['nested fractions', `\\boxed{${'\\frac{1}{'.repeat(38)}2${'}'.repeat(38)}}`],
    ['nested sides', `\\boxed{${'(1,'.repeat(90)}2${')'.repeat(90)}}`],
    ['signs without end', `\\boxed{${'-'.repeat(391)}5}`],
    ['plus-minus without end', `\\boxed{${'1\\pm'.repeat(90)}1}`],
  ])('is not held up by %s', (_, utterance) => {
    const start = performance.now();
    expect(verifyMaths('5', utterance).reward).toBe(0);
    expect(verifyMaths(utterance.slice(0, 400), '5').reward).toBe(0);
    // Thousands of times what it takes: without bounds these take minutes, or for ever.
    expect(performance.now() - start).toBeLessThan(10_000);
  });
});
