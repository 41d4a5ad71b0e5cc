/**
 * Byte-pair encoding (Sennrich et al., 1508.07909) over bytes: the trainer of the embedded model's vocabulary. Text is cut
 * as Qwen2 cuts it, every digit on its own, and the most frequent neighbouring pair within the cuts is merged until the
 * vocabulary is full or every cut is a single token.
 */
import { BYTE_CHARACTERS, toByteCharacters } from '../tokenizer/byte-alphabet.ts';

/** Qwen2's cut, in the regular expressions of tokenizer.json. */
export const PRETOKENIZER_PATTERN =
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

/** The same without the inline flag, which JavaScript engines of the supported versions do not know. */
const PRETOKENIZER = new RegExp(
  PRETOKENIZER_PATTERN.replace(/\(\?i:([^)]*)\)/, (_, words: string) =>
    `(?:${words.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)})`,
  ),
  'gu',
);

export type Merge = readonly [string, string];

/** A pair that occurs once is no pattern. */
const MIN_PAIR_COUNT = 2;

/** Joins a pair into a map key; no token contains a newline, because bytes are written as printable characters. */
const SEPARATOR = '\n';

interface Word {
  tokens: string[];
  count: number;
}

/**
 * The merges, most frequent first, at most `maxMerges`. Equally frequent pairs are taken in the order of their characters'
 * code units, so that the result depends on nothing but the counts.
 */
export function trainMerges(texts: Iterable<string>, maxMerges: number): Merge[] {
  const words = countWords(texts);
  const merges: Merge[] = [];
  while (merges.length < maxMerges) {
    const best = mostFrequentPair(words);
    if (best === null) break;
    merges.push(best);
    for (const word of words) word.tokens = mergePair(word.tokens, best);
  }
  return merges;
}

/** All tokens by id: the 256 bytes, then one per merge. */
export function vocabularyOf(merges: readonly Merge[]): string[] {
  const tokens = [...BYTE_CHARACTERS].sort();
  const seen = new Set(tokens);
  for (const token of merges.map(([left, right]) => left + right)) {
    if (!seen.has(token)) tokens.push(token);
    seen.add(token);
  }
  return tokens;
}

function countWords(texts: Iterable<string>): Word[] {
  const counts = new Map<string, number>();
  for (const text of texts) {
    for (const cut of text.match(PRETOKENIZER) ?? []) counts.set(cut, (counts.get(cut) ?? 0) + 1);
  }
  return Array.from(counts, ([cut, count]) => ({ tokens: Array.from(toByteCharacters(cut)), count }));
}

function mostFrequentPair(words: readonly Word[]): Merge | null {
  const counts = new Map<string, number>();
  for (const { tokens, count } of words) {
    for (let i = 0; i + 1 < tokens.length; i++) {
      const pair = `${tokens[i]}${SEPARATOR}${tokens[i + 1]}`;
      counts.set(pair, (counts.get(pair) ?? 0) + count);
    }
  }
  let best: string | null = null;
  let bestCount = MIN_PAIR_COUNT - 1;
  for (const [pair, count] of counts) {
    if (count > bestCount || (count === bestCount && best !== null && pair < best)) [best, bestCount] = [pair, count];
  }
  const [left, right] = best?.split(SEPARATOR) ?? [];
  return left !== undefined && right !== undefined ? [left, right] : null;
}

function mergePair(tokens: readonly string[], [left, right]: Merge): string[] {
  const merged: string[] = [];
  for (const token of tokens) {
    if (token === right && merged.at(-1) === left) merged[merged.length - 1] = left + right;
    else merged.push(token);
  }
  return merged;
}
