import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { MetricRow } from '../../../src/marft/records.ts';
import { crc32c, EVENTS_FILE, tensorboardEvents, tfRecord } from '../../../src/run-store/tensorboard.ts';

const FIXTURE = new URL('../../reference/fixtures/tensorboard/', import.meta.url);

const ROWS: MetricRow[] = [
  { iteration: 1, 'reward/mean': 0.25, 'time/iteration_s': 0.5, 'solver/approx_kl': 1e-3 },
  { iteration: 2, 'reward/mean': 0.75, 'time/iteration_s': 0.25 },
];

describe('an event file', () => {
  it('is, byte for byte, one in which TensorBoard itself found these metrics', () => {
    expect(Buffer.from(tensorboardEvents(ROWS))).toEqual(readFileSync(new URL(EVENTS_FILE, FIXTURE)));
    const { scalars } = JSON.parse(readFileSync(new URL('scalars.json', FIXTURE), 'utf8')) as { scalars: Record<string, [number, number, number][]> };
    const found = Object.entries(scalars).flatMap(([name, points]) => points.map(([step, , value]) => [name, step, value]));
    const expected = ROWS.flatMap(({ iteration, ...row }) => Object.entries(row).map(([name, value]) => [name, iteration, Math.fround(value)]));
    expect(found.sort()).toEqual(expected.sort());
  });

  it('has a record an iteration after the one of its version', () => {
    expect(tensorboardEvents([]).length).toBe(40);
  });
});

describe('crc32c', () => {
  it('gives the values of RFC 3720, appendix B.4', () => {
    expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa);
    expect(crc32c(new Uint8Array(32).fill(0xff))).toBe(0x62a8ab43);
    expect(crc32c(Uint8Array.from({ length: 32 }, (_, k) => k))).toBe(0x46dd794e);
    expect(crc32c(new TextEncoder().encode('123456789'))).toBe(0xe3069283);
  });
});

describe('a TFRecord', () => {
  it('frames its data with its length and two checksums', () => {
    const data = Uint8Array.from([1, 2, 3]);
    const record = tfRecord(data);
    expect(record.length).toBe(3 + 16);
    expect([...record.subarray(0, 8)]).toEqual([3, 0, 0, 0, 0, 0, 0, 0]);
    expect([...record.subarray(12, 15)]).toEqual([1, 2, 3]);
  });
});
