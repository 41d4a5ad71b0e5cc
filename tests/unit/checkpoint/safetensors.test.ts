import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { headerLength, readSafetensors, toFloat32, writeSafetensors } from '../../../src/checkpoint/safetensors.ts';
import { rawSafetensors, refusal } from './files.ts';

const one = { dtype: 'F32', shape: [1], data_offsets: [0, 4] };
const four = [0, 0, 128, 63];

const tensors = fc
  .dictionary(fc.stringMatching(/^[a-z][\w.-]{0,20}$/), fc.array(fc.array(fc.float(), { minLength: 2, maxLength: 2 }), { maxLength: 4 }), { maxKeys: 5 })
  .map((record) => new Map(Object.entries(record).map(([name, rows]) => [name, { dims: [rows.length, 2], data: Float32Array.from(rows.flat()) }])));

describe('a safetensors file', () => {
  it('holds what was written, bit for bit, whatever the order it was given in', () => {
    fc.assert(
      fc.property(tensors, (map) => {
        const file = writeSafetensors(map);
        const back = readSafetensors(file);
        expect([...back.keys()]).toEqual([...map.keys()].sort());
        for (const [name, { dims, data }] of map) {
          expect(back.get(name)?.dims).toEqual(dims);
          expect(new Uint8Array(back.get(name)?.data.buffer ?? new ArrayBuffer(0))).toEqual(new Uint8Array(data.buffer));
        }
        expect(writeSafetensors(new Map([...map].reverse()))).toEqual(file);
      }),
    );
  });

  it('starts its data at a multiple of eight bytes and says it is PyTorch\'s', () => {
    const file = writeSafetensors(new Map([['a', { dims: [], data: Float32Array.of(1) }]]));
    const length = headerLength(file);
    expect(length % 8).toBe(0);
    expect(JSON.parse(new TextDecoder().decode(file.subarray(8, 8 + length)))).toEqual({
      __metadata__: { format: 'pt' },
      a: { dtype: 'F32', shape: [], data_offsets: [0, 4] },
    });
  });

  it('is read alike as an array and as a Buffer of Node, whose slices are views', () => {
    const map = new Map([['a', { dims: [2], data: Float32Array.of(1.5, -2) }], ['b', { dims: [1], data: Float32Array.of(3) }]]);
    const file = writeSafetensors(map);
    const buffer = Buffer.concat([Buffer.alloc(3), file]).subarray(3);
    expect(readSafetensors(buffer)).toEqual(readSafetensors(file));
    expect(readSafetensors(buffer)).toEqual(map);
  });

  it('is not written when it could not be read back', () => {
    expect(() => writeSafetensors(new Map([['a', { dims: [3], data: Float32Array.of(1) }]]))).toThrow(RangeError);
    expect(() => writeSafetensors(new Map([['__proto__', { dims: [1], data: Float32Array.of(1) }]]))).toThrow(RangeError);
    expect(() => writeSafetensors(new Map([['__metadata__', { dims: [1], data: Float32Array.of(1) }]]))).toThrow(RangeError);
  });

  it.each<[string, Uint8Array]>([
    ['ends in its first bytes', Uint8Array.of(1, 2, 3)],
    ['announces a header beyond the limit', Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 1)],
    ['ends inside its header', rawSafetensors({ a: one }, four).subarray(0, 20)],
    ['has a header that is not JSON', rawSafetensors('{"a":')],
    ['has a header that is not UTF-8', Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0, 255)],
    ['has a list as its header', rawSafetensors('[]')],
    ['names a tensor __proto__', rawSafetensors('{"__proto__":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}', four)],
    ['names a tensor like a path', rawSafetensors({ '../a': one }, four)],
    ['has a tensor that is null', rawSafetensors({ a: null })],
    ['has an unknown element type', rawSafetensors({ a: { ...one, dtype: 'toString' } }, four)],
    ['has a negative size', rawSafetensors({ a: { ...one, shape: [-1] } }, four)],
    ['has a size that is not whole', rawSafetensors({ a: { ...one, shape: [0.5, 2] } }, four)],
    ['has sizes whose product overflows', rawSafetensors({ a: { ...one, shape: [2 ** 52, 2 ** 52, 2 ** 52] } }, four)],
    ['has a tensor of more bytes than its shape', rawSafetensors({ a: { ...one, data_offsets: [0, 8] } }, [...four, ...four])],
    ['has a tensor that ends before it starts', rawSafetensors({ a: { ...one, data_offsets: [4, 0] } }, four)],
    ['has tensors that overlap', rawSafetensors({ a: one, b: one }, four)],
    ['has a gap between tensors', rawSafetensors({ a: one, b: { ...one, data_offsets: [8, 12] } }, [...four, ...four, ...four])],
    ['has a gap before the first', rawSafetensors({ a: { ...one, data_offsets: [4, 8] } }, [...four, ...four])],
    ['ends inside a tensor', rawSafetensors({ a: one }, [0, 0])],
    ['goes on after its tensors', rawSafetensors({ a: one }, [...four, 0])],
  ])('is refused when it %s', async (_, file) => {
    expect(await refusal(() => readSafetensors(file))).toBe('checkpoint-broken');
  });

  it('is read or refused, whatever its header says', async () => {
    const entry = fc.record(
      {
        dtype: fc.constantFrom('F32', 'BF16', 'I64', 'x', null),
        shape: fc.oneof(fc.array(fc.constantFrom(0, 1, 2, -1, 0.5, 2 ** 53, '1'), { maxLength: 3 }), fc.jsonValue()),
        data_offsets: fc.oneof(fc.tuple(fc.integer({ min: -1, max: 16 }), fc.integer({ min: -1, max: 16 })), fc.jsonValue()),
      },
      { requiredKeys: [] },
    );
    const header = fc.oneof(fc.dictionary(fc.oneof(fc.constantFrom('a', 'b', '__proto__', '__metadata__'), fc.string()), entry), fc.jsonValue(), fc.string());
    await fc.assert(
      fc.asyncProperty(header, fc.uint8Array({ maxLength: 16 }), async (json, data) => {
        // Anything but a PlaygroundError comes through and fails this.
        expect(['nothing was refused', 'checkpoint-broken', 'checkpoint-unsupported']).toContain(
          await refusal(() => readSafetensors(rawSafetensors(json, data))),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('may hold types that are not read, until they are asked for', async () => {
    expect(await refusal(() => readSafetensors(rawSafetensors({ a: { dtype: 'I64', shape: [1], data_offsets: [0, 8] } }, new Uint8Array(8))))).toBe(
      'checkpoint-unsupported',
    );
  });
});

describe('16-bit floats', () => {
  it('are read from a Buffer of Node at any alignment', () => {
    const bytes = Uint8Array.of(0, 0, 60, 0, 192);
    expect([...toFloat32(Buffer.from(bytes.buffer, 1, 4), 'F16')]).toEqual([1, -2]);
  });

  it('widen exactly, at any alignment', () => {
    // 1, −2, the smallest subnormal, the largest number, infinity.
    const half = Uint8Array.of(9, 0x00, 0x3c, 0x00, 0xc0, 0x01, 0x00, 0xff, 0x7b, 0x00, 0x7c);
    expect([...toFloat32(half.subarray(1), 'F16')]).toEqual([1, -2, 2 ** -24, 65504, Infinity]);
    const brain = Uint8Array.of(9, 0x80, 0x3f, 0x00, 0xc0, 0x80, 0xff, 0x00, 0x80);
    expect([...toFloat32(brain.subarray(1), 'BF16')]).toEqual([1, -2, -Infinity, -0]);
    expect([...toFloat32(Uint8Array.of(0x01, 0x7e), 'F16')]).toEqual([NaN]);
  });

  it('do not alias the file they came from', () => {
    const file = Uint8Array.of(0, 0, 0, 0, 0, 0, 128, 63);
    const values = toFloat32(file.subarray(4), 'F32');
    file.fill(0);
    expect([...values]).toEqual([1]);
  });
});
