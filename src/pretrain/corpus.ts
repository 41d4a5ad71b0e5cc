/** Batches of training sequences. Seeded: a sequence is a pure function of (seed, step, row). */
import { Random } from '../random/random.ts';
import type { ChatTokenizer } from '../tokenizer/types.ts';
import type { Phase } from './behaviour.ts';
import { duoSequence } from './corpora/duo.ts';
import type { TrainingSequence } from './sequences.ts';

export { MIXTURE } from './corpora/duo.ts';

/** Draws one sequence; a corpus a file in `corpora`. */
export type Corpus = (tokenizer: ChatTokenizer, phase: Phase, random: Random) => TrainingSequence;

/** `rows` sequences for one step of training. */
export function trainingBatch(
  tokenizer: ChatTokenizer,
  phase: Phase,
  seed: number,
  step: number,
  rows: number,
  corpus: Corpus = duoSequence,
): TrainingSequence[] {
  return Array.from({ length: rows }, (_, row) => corpus(tokenizer, phase, new Random(seed, step, row)));
}
