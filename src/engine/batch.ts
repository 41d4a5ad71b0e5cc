/** Ragged sequences as rectangular, right-padded arrays of lengths that recur, so that few graphs are compiled. */
import type { Limits } from './limits.ts';

/** Lengths are rounded up to multiples of this. */
const LENGTH_STEP = 8;
/** The id in padded places; nothing valid ever looks at it. */
const PADDING_ID = 0;

export interface PaddedRows {
  rows: number;
  /** Tokens a row, padding included. */
  length: number;
  /** [rows · length] */
  ids: Int32Array;
}

export function bucket(length: number, step = LENGTH_STEP): number {
  return Math.max(step, Math.ceil(length / step) * step);
}

export function pad(sequences: readonly Int32Array[]): PaddedRows {
  const length = bucket(Math.max(...sequences.map((ids) => ids.length)));
  const ids = new Int32Array(sequences.length * length).fill(PADDING_ID);
  sequences.forEach((sequence, row) => ids.set(sequence, row * length));
  return { rows: sequences.length, length, ids };
}

/** Rows of `length` tokens that go through the model at once. */
export function rowsAtOnce(length: number, { tokensAtOnce }: Limits): number {
  return Math.max(1, Math.floor(tokensAtOnce / bucket(length)));
}

/** Splits a batch into consecutive parts of rows, each within the limit when padded to `length`: that changes nothing but memory. */
export function microBatches<T>(batch: readonly T[], length: number, limits: Limits): T[][] {
  const rows = rowsAtOnce(length, limits);
  const parts: T[][] = [];
  for (let start = 0; start < batch.length; start += rows) parts.push(batch.slice(start, start + rows));
  return parts;
}

/** Positions of a padded batch that are looked at, in chunks of at most `limit`, each padded to a recurring size. */
export interface PositionChunk {
  /** int32 [tokens]; padding points at row 0. */
  index: Int32Array;
  /** Of each padded row, which token of the chunk it became, or `tokens`. */
  inverse: Int32Array;
  /** Positions that are not padding. */
  used: number;
  /** Where the chunk begins among all positions. */
  start: number;
}

const POSITION_STEP = 128;

/** Tokens of the chunk that so many positions come in, padding included. */
export function chunkTokens(positions: number, limit: number, step = POSITION_STEP): number {
  return Math.min(limit, bucket(positions, step));
}

export function positionChunks(positions: readonly number[], rows: number, limit: number, step = POSITION_STEP): PositionChunk[] {
  const chunks: PositionChunk[] = [];
  for (let start = 0; start < positions.length; start += limit) {
    const part = positions.slice(start, start + limit);
    const tokens = chunkTokens(part.length, limit, step);
    const index = new Int32Array(tokens);
    index.set(part);
    const inverse = new Int32Array(rows).fill(tokens);
    part.forEach((row, token) => (inverse[row] = token));
    chunks.push({ index, inverse, used: part.length, start });
  }
  return chunks;
}
