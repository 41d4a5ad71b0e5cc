import { expect, it } from 'vitest';
import { LruCache } from '../../../src/tokenizer/lru-cache.ts';

it('a cache keeps what was used last and makes the rest again', () => {
  const cache = new LruCache<string, number>(2);
  const made: string[] = [];
  const get = (key: string): number => cache.get(key, () => made.push(key));
  for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) get(key);
  expect(made).toEqual(['a', 'b', 'c', 'b']);
});
