import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { marft } from './marft.ts';

const REFERENCE = fileURLToPath(new URL('../../reference/fixtures', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'marft-export-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A model and an adapter for it that transformers and PEFT wrote. */
const MODEL = join(REFERENCE, 'qwen2-tied');
const ADAPTER = join(MODEL, 'adapter-all');

describe('marft export', () => {
  it('writes a model that scores as the base with the adapter does', async () => {
    const out = join(folder, 'merged');
    expect(await marft('export', '--model', MODEL, '--adapter', ADAPTER, '--out', out)).toMatchObject({ code: 0, err: '' });
    const ids = join(folder, 'ids.json');
    writeFileSync(ids, '[[1, 2, 3, 4, 5, 6, 7]]');
    const logprobs = async (...options: string[]): Promise<number[]> =>
      (JSON.parse((await marft('score', '--ids', ids, ...options)).out) as { logprobs: number[] }[])[0]?.logprobs ?? [];
    const adapted = await logprobs('--model', MODEL, '--adapter', ADAPTER);
    const merged = await logprobs('--model', out);
    const base = await logprobs('--model', MODEL);
    expect(merged).toHaveLength(6);
    merged.forEach((value, t) => expect(value).toBeCloseTo(adapted[t] ?? Number.NaN, 4));
    expect(Math.max(...merged.map((value, t) => Math.abs(value - (base[t] ?? 0))))).toBeGreaterThan(1e-2);
  });

  it('overwrites no model, and refuses an adapter of another one', async () => {
    const again = await marft('export', '--model', MODEL, '--adapter', ADAPTER, '--out', MODEL);
    expect(again).toMatchObject({ code: 2 });
    expect(again.err).toContain('holds a model already');
    const other = await marft('export', '--model', 'marft-micro', '--adapter', ADAPTER, '--out', join(folder, 'other'));
    expect(other.code).toBe(1);
    expect(other.err).toContain('do not fit the model');
  });
});
