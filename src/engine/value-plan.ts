/** Whole transcripts, padded, with all their valued positions in one chunk. */
import { microBatches, pad, positionChunks, type PaddedRows, type PositionChunk } from './batch.ts';
import type { Limits } from './limits.ts';
import type { ValuedSequence } from './types.ts';

export interface ValuePlan {
  sequences: ValuedSequence[];
  padded: PaddedRows;
  chunk: PositionChunk;
}

/** Parts of the batch in order. Throws a RangeError for a part without any position: there is nothing to value. */
export function valuePlans(batch: readonly ValuedSequence[], limits: Limits): ValuePlan[] {
  const longest = Math.max(0, ...batch.map(({ ids }) => ids.length));
  return microBatches(batch, longest, limits).map((sequences) => {
    const padded = pad(sequences.map(({ ids }) => ids));
    const positions = sequences.flatMap((sequence, row) => [...sequence.positions].map((position) => row * padded.length + position));
    const [chunk] = positionChunks(positions, padded.ids.length, Infinity);
    if (!chunk) throw new RangeError('the transcripts have no position to value');
    return { sequences, padded, chunk };
  });
}
