import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { tensorboardEvents } from '../../../src/run-store/tensorboard.ts';
import { marft } from './marft.ts';

const folder = mkdtempSync(join(tmpdir(), 'marft-metrics-'));
afterAll(() => rmSync(folder, { recursive: true }));
// As a run leaves it that is killed while it writes a line.
writeFileSync(join(folder, 'metrics.jsonl'), '{"iteration":1,"reward/mean":0.5}\n{"iteration":2,"rew');

describe('marft metrics', () => {
  it('prints whole lines as CSV, or writes them', async () => {
    expect(await marft('metrics', folder, '--format', 'csv')).toMatchObject({ code: 0, out: 'iteration,reward/mean\r\n1,0.5\r\n' });
    const file = join(folder, 'deep', 'metrics.csv');
    expect(await marft('metrics', folder, '--format', 'csv', '--out', file)).toMatchObject({ code: 0, out: `Written to ${file}.\n` });
    expect(readFileSync(file, 'utf8')).toBe('iteration,reward/mean\r\n1,0.5\r\n');
  });

  it('writes an event file where TensorBoard looks for one', async () => {
    const { out } = await marft('metrics', folder, '--format', 'tensorboard');
    const path = join(folder, 'tensorboard', 'events.out.tfevents.0.marft');
    expect(out).toBe(`Written to ${path}.\n`);
    expect(new Uint8Array(readFileSync(path))).toEqual(tensorboardEvents([{ iteration: 1, 'reward/mean': 0.5 }]));
  });

  it('refuses what is no run', async () => {
    const other = join(folder, 'other');
    mkdirSync(other);
    expect(await marft('metrics', other, '--format', 'csv')).toMatchObject({ code: 1, err: expect.stringContaining('There is no ') as string });
    writeFileSync(join(other, 'metrics.jsonl'), 'nonsense\n');
    expect((await marft('metrics', other, '--format', 'csv')).err).toContain('does not hold a line of JSON an iteration.');
    expect(await marft('metrics', folder)).toMatchObject({ code: 2, err: expect.stringContaining('"metrics" needs --format.') as string });
    expect((await marft('metrics', folder, '--format', 'xml')).err).toContain('There is no format "xml".');
  });
});
