import { describe, expect, it } from 'vitest';
import { trainMerges, vocabularyOf } from '../../../src/pretrain/bpe.ts';

describe('merges', () => {
  it('start with the most frequent pair and build on it', () => {
    expect(trainMerges(['low', 'low', 'lower', 'new'], 3)).toEqual([['l', 'o'], ['lo', 'w']]);
  });

  it('take equally frequent pairs in the order of their characters', () => {
    expect(trainMerges(['xy', 'ab', 'xy', 'ab'], 1)).toEqual([['a', 'b']]);
    expect(trainMerges(['ab', 'xy', 'ab', 'xy'], 1)).toEqual([['a', 'b']]);
  });

  it('do not depend on the order of the texts', () => {
    const texts = ['the sum is here', 'the secret is there', 'this is the sum of the team'].flatMap((text) => [text, text]);
    expect(trainMerges([...texts].reverse(), 50)).toEqual(trainMerges(texts, 50));
  });

  it('never join digits, nor a digit with anything else', () => {
    const merges = trainMerges(Array.from({ length: 50 }, () => '12 12+12=24 a12 12a'), 100);
    for (const pair of merges) expect(pair.join('')).not.toMatch(/\d/);
  });

  it('handle runs of one character', () => {
    expect(trainMerges(['aaaa', 'aaaa'], 2)).toEqual([['a', 'a'], ['aa', 'aa']]);
  });

  it('end when every word is one token', () => {
    expect(trainMerges(['it is', 'it is'], 1000)).toHaveLength(3);
  });

  it('are of no use for what occurs once', () => {
    expect(trainMerges(['unique'], 10)).toEqual([]);
  });
});

it('the vocabulary has the 256 bytes first, then a token per merge', () => {
  const vocabulary = vocabularyOf([['a', 'b'], ['ab', 'c']]);
  expect(vocabulary).toHaveLength(258);
  expect(vocabulary.slice(256)).toEqual(['ab', 'abc']);
  expect(new Set(vocabulary).size).toBe(258);
});
