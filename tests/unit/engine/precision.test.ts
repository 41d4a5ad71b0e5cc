import { describe, expect, it } from 'vitest';
import { precisionOn } from '../../../src/engine/precision.ts';

const cpu = { kind: 'cpu', halfPrecision: true } as const;
const gpu = { kind: 'webgpu', halfPrecision: true } as const;
const olderGpu = { kind: 'webgpu', halfPrecision: false } as const;

describe('the precision of the base', () => {
  it('is half where a GPU has it, and single elsewhere, when left to the program', () => {
    expect([gpu, olderGpu, cpu, { ...cpu, kind: 'wasm' as const }].map((backend) => precisionOn(backend, 'auto'))).toEqual(['f16', 'f32', 'f32', 'f32']);
  });

  it('is what was asked for, anywhere', () => {
    for (const setting of ['f32', '4-bit'] as const) for (const backend of [gpu, olderGpu, cpu]) expect(precisionOn(backend, setting)).toBe(setting);
    expect([gpu, cpu].map((backend) => precisionOn(backend, 'f16'))).toEqual(['f16', 'f16']);
  });

  it('is refused with a way out where a GPU lacks it', () => {
    expect(() => precisionOn(olderGpu, 'f16')).toThrow(expect.objectContaining({ code: 'no-half-precision', hint: expect.stringContaining('4-bit') as string }));
  });
});
