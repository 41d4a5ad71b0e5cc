/**
 * Block-wise 4-bit quantisation, in the layout of ONNX Runtime's MatMulNBits (`onnx/ops/matmul-4bit.ts`): in each row, 32 neighbours share
 * a scale s and become q in 0…15, which stands for (q − 8) · s.
 *
 * s is the block's element of largest magnitude divided by −8, so that this element is exact and the seven or eight steps on either
 * side reach all others. A zero point per block would lower the error of normally distributed weights from 8.6 % to 8.1 % of their size, for a third
 * tensor a matrix.
 */
import { BLOCK } from '../onnx/ops/matmul-4bit.ts';

const ZERO_POINT = 8;

export interface Quantised {
  /** [rows, ⌈columns/32⌉, 16] */
  packed: Uint8Array;
  /** [rows, ⌈columns/32⌉]; 0 for a block of zeros. */
  scales: Float32Array;
}

/** A row's last block is filled up with zeros. */
export function quantise(weights: Float32Array, rows: number, columns: number): Quantised {
  const blocks = Math.ceil(columns / BLOCK);
  const packed = new Uint8Array((rows * blocks * BLOCK) / 2);
  const scales = new Float32Array(rows * blocks);
  for (let block = 0; block < scales.length; block++) {
    const row = Math.floor(block / blocks);
    const start = row * columns + (block - row * blocks) * BLOCK;
    const end = Math.min(start + BLOCK, (row + 1) * columns);
    const scale = Math.fround(extreme(weights, start, end) / -ZERO_POINT);
    scales[block] = scale;
    for (let i = 0; i < BLOCK; i++) {
      const weight = start + i < end ? (weights[start + i] ?? 0) : 0;
      const q = scale === 0 ? ZERO_POINT : Math.min(15, Math.max(0, Math.round(weight / scale) + ZERO_POINT));
      const byte = (block * BLOCK + i) >> 1;
      packed[byte] = (packed[byte] ?? 0) | (q << (4 * (i & 1)));
    }
  }
  return { packed, scales };
}

/** The numbers that the quantised ones stand for, [rows, columns]. */
export function dequantise({ packed, scales }: Quantised, rows: number, columns: number): Float32Array {
  const blocks = Math.ceil(columns / BLOCK);
  const weights = new Float32Array(rows * columns);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const at = row * blocks * BLOCK + column;
      const q = ((packed[at >> 1] ?? 0) >> (4 * (column & 1))) & 15;
      weights[row * columns + column] = (q - ZERO_POINT) * (scales[Math.floor(at / BLOCK)] ?? 0);
    }
  }
  return weights;
}

/** The element of largest magnitude, with its sign; the first of several. */
function extreme(weights: Float32Array, start: number, end: number): number {
  let found = 0;
  for (let i = start; i < end; i++) {
    const weight = weights[i] ?? 0;
    if (Math.abs(weight) > Math.abs(found)) found = weight;
  }
  return found;
}
