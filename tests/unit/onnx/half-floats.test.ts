import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LARGEST_HALF, float16ToFloat32, float32ToFloat16 } from '../../../src/onnx/half-floats.ts';

const rounded = (...numbers: number[]): number[] => [...float16ToFloat32(float32ToFloat16(Float32Array.from(numbers)))];

describe('half precision', () => {
  it('gives back every one of its numbers', () => {
    const all = Uint16Array.from({ length: 0x10000 }, (_, bits) => bits);
    const numbers = float16ToFloat32(all);
    float32ToFloat16(numbers).forEach((bits, i) => {
      // There are many bit patterns for what is not a number.
      if (Number.isNaN(numbers[i])) expect(Number.isNaN(float16ToFloat32(Uint16Array.of(bits))[0])).toBe(true);
      else expect(bits).toBe(i);
    });
  });

  it('takes the nearest number', () => {
    const positive = float16ToFloat32(Uint16Array.from({ length: 0x7c00 }, (_, bits) => bits));
    fc.assert(
      fc.property(fc.float({ min: -LARGEST_HALF, max: LARGEST_HALF, noNaN: true }), (number) => {
        const [half = NaN] = rounded(number);
        const at = positive.findIndex((one) => one === Math.abs(half));
        const distance = Math.abs(number - half);
        for (const neighbour of [positive[at - 1], positive[at + 1]]) {
          if (neighbour !== undefined) expect(distance).toBeLessThanOrEqual(Math.abs(Math.abs(number) - neighbour));
        }
      }),
    );
  });

  it('breaks ties to the even number, and leaves its range as infinity', () => {
    expect(rounded(2049, 2051, -2049)).toEqual([2048, 2052, -2048]);
    expect(rounded(2 ** -25, 3 * 2 ** -25, 2 ** -26)).toEqual([0, 2 ** -23, 0]);
    expect(rounded(65_519, 65_520, -1e30, 65_504)).toEqual([65_504, Infinity, -Infinity, 65_504]);
    expect(rounded(Infinity, -Infinity)).toEqual([Infinity, -Infinity]);
    expect(Object.is(rounded(-0)[0], -0)).toBe(true);
  });
});
