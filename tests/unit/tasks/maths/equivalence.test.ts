import { describe, expect, it } from 'vitest';
import { sameAnswer } from '../../../../src/tasks/maths/verify.ts';
import { EQUAL, UNEQUAL } from './pairs.ts';

const CORPUS = [
  ...Object.entries(EQUAL).flatMap(([kind, pairs]) => pairs.map(([expected, given]) => ({ kind, expected, given, equal: true }))),
  ...Object.entries(UNEQUAL).flatMap(([kind, pairs]) => pairs.map(([expected, given]) => ({ kind, expected, given, equal: false }))),
];

describe('the equivalence of written answers, on pairs judged by hand', () => {
  it('has at least 300 pairs, none twice', () => {
    expect(CORPUS.length).toBeGreaterThanOrEqual(300);
    expect(new Set(CORPUS.map(({ expected, given }) => `${expected}\n${given}`)).size).toBe(CORPUS.length);
  });

  it.each(CORPUS)('$kind: $expected and $given → $equal', ({ expected, given, equal }) => {
    expect(sameAnswer(expected, given)).toBe(equal);
  });

  it('prints its rates', () => {
    const rate = (equal: boolean): string => {
      const pairs = CORPUS.filter((pair) => pair.equal === equal);
      const right = pairs.filter(({ expected, given }) => sameAnswer(expected, given) === equal).length;
      return `${right} of ${pairs.length} ${equal ? 'equal pairs accepted' : 'unequal pairs refused'}`;
    };
    console.info(`maths verifier: ${rate(true)}, ${rate(false)}`);
  });
});
