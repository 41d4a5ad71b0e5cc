/** Makes the embedded model's tokenizer from the corpus that the model is trained on. */
import { createChatTokenizer } from '../tokenizer/chat-tokenizer.ts';
import { trainMerges } from './bpe.ts';
import { duoSequence } from './corpora/duo.ts';
import { trainingBatch, type Corpus } from './corpus.ts';
import { SPECIAL_TOKENS, tokenizerFiles, type TokenizerFiles } from './tokenizer-files.ts';

/** An upper bound: merging ends earlier, when every word of the corpus is one token. */
export const MAX_VOCABULARY_SIZE = 640;

const BYTES = 256;

/** Sequences to count pairs in: enough that every word of the corpus occurs. */
const SAMPLE_ROWS = 4000;

/** Splits a sample of the corpus at special tokens into plain texts. */
export function corpusTexts(seed: number, corpus: Corpus = duoSequence): string[] {
  // Without merges, ids are bytes: the texts are those of the real training sequences, template and all.
  const bytes = createChatTokenizer(tokenizerFiles([]));
  return trainingBatch(bytes, 'skill', seed, 0, SAMPLE_ROWS, corpus).flatMap(({ ids }) => {
    const texts: string[] = [];
    let start = 0;
    ids.forEach((id, index) => {
      if (id < BYTES) return;
      if (index > start) texts.push(bytes.decode(ids.subarray(start, index)));
      start = index + 1;
    });
    return texts;
  });
}

/** The files of the tokenizer trained with this seed on this corpus; the same seed gives the same files. */
export function trainTokenizerFiles(seed: number, corpus: Corpus = duoSequence): TokenizerFiles {
  return tokenizerFiles(trainMerges(corpusTexts(seed, corpus), MAX_VOCABULARY_SIZE - BYTES - SPECIAL_TOKENS.length));
}
