import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dequantise, quantise } from '../../../src/qwen/four-bit.ts';

describe('4-bit weights', () => {
  it('lie as MatMulNBits reads them: the even element of a pair in the low half of its byte', () => {
    const row = Float32Array.from({ length: 32 }, (_, i) => (i < 16 ? i - 8 : 0));
    const { packed, scales } = quantise(row, 1, 32);
    expect([...scales]).toEqual([1]);
    expect([...packed]).toEqual([0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe, ...new Array<number>(8).fill(0x88)]);
  });

  it('have a scale for each block of a row, and fill the last one up with zeros', () => {
    const { packed, scales } = quantise(Float32Array.from({ length: 2 * 40 }, (_, i) => (i % 40 < 32 ? -8 : 4)), 2, 40);
    expect([...scales]).toEqual([1, -0.5, 1, -0.5]);
    expect(packed.length).toBe(2 * 2 * 16);
    expect([...packed.subarray(16, 32)]).toEqual([...new Array<number>(4).fill(0), ...new Array<number>(12).fill(0x88)]);
  });

  it('keep zero and the largest element of a block, and nothing is further off than its scale', () => {
    const sizes = fc.record({ rows: fc.integer({ min: 1, max: 3 }), columns: fc.integer({ min: 1, max: 70 }) });
    fc.assert(
      fc.property(sizes, fc.infiniteStream(fc.oneof(fc.constant(0), fc.float({ min: -100, max: 100, noNaN: true }).filter((one) => Math.abs(one) > 1e-30))), ({ rows, columns }, stream) => {
        const weights = Float32Array.from({ length: rows * columns }, () => stream.next().value as number);
        const quantised = quantise(weights, rows, columns);
        const back = dequantise(quantised, rows, columns);
        for (let row = 0; row < rows; row++) {
          for (let start = 0; start < columns; start += 32) {
            const at = (array: Float32Array): Float32Array => array.subarray(row * columns + start, row * columns + Math.min(columns, start + 32));
            const [given, got] = [at(weights), at(back)];
            const largest = given.reduce((most, one) => Math.max(most, Math.abs(one)), 0);
            given.forEach((weight, i) => {
              expect(Math.abs((got[i] ?? NaN) - weight)).toBeLessThanOrEqual((largest / 8) * 1.00001);
              if (weight === 0) expect(Math.abs(got[i] ?? NaN)).toBe(0);
            });
            const first = given.findIndex((weight) => Math.abs(weight) === largest);
            expect(Math.abs((got[first] ?? NaN) - (given[first] ?? NaN))).toBeLessThanOrEqual(largest * 1e-6);
          }
        }
      }),
    );
  });
});
