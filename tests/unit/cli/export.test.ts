import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
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

  it('rounds the model as it was held while the adapter learned', async () => {
    const out = join(folder, 'rounded');
    expect(await marft('export', '--model', MODEL, '--adapter', ADAPTER, '--precision', '4-bit', '--out', out)).toMatchObject({ code: 0, err: '' });
    const ids = join(folder, 'ids-of-rounded.json');
    writeFileSync(ids, '[[1, 2, 3, 4, 5, 6, 7]]');
    const logprobs = async (...options: string[]): Promise<number[]> =>
      (JSON.parse((await marft('score', '--ids', ids, ...options)).out) as { logprobs: number[] }[])[0]?.logprobs ?? [];
    const trained = await logprobs('--model', MODEL, '--adapter', ADAPTER, '--precision', '4-bit');
    const written = await logprobs('--model', out);
    expect(written).toHaveLength(6);
    written.forEach((value, t) => expect(value).toBeCloseTo(trained[t] ?? Number.NaN, 3));
    const unrounded = await logprobs('--model', MODEL, '--adapter', ADAPTER);
    expect(Math.max(...written.map((value, t) => Math.abs(value - (unrounded[t] ?? 0))))).toBeGreaterThan(1e-2);
    const auto = await marft('export', '--model', MODEL, '--precision', 'auto', '--out', join(folder, 'auto'));
    expect(auto).toMatchObject({ code: 2 });
    expect(auto.err).toContain('must be named');
  });

  it('writes safetensors, the files of transformers.js, or both', async () => {
    const written = async (format: string): Promise<string[]> => {
      const out = join(folder, format);
      expect(await marft('export', '--model', MODEL, '--out', out, '--format', format)).toMatchObject({ code: 0, err: '' });
      return readdirSync(out, { recursive: true }).map(String).filter((file) => /onnx|safetensors/.test(file)).sort();
    };
    const onnx = ['onnx', join('onnx', 'model.onnx'), join('onnx', 'model.onnx_data')];
    expect(await written('safetensors')).toEqual(['model.safetensors']);
    expect(await written('onnx')).toEqual(onnx);
    expect(await written('both')).toEqual(['model.safetensors', ...onnx]);
    const config = (format: string): unknown => JSON.parse(readFileSync(join(folder, format, 'config.json'), 'utf8'));
    // Without these words transformers.js looks for a quantised model, with its weights inside.
    expect(config('onnx')).toMatchObject({ 'transformers.js_config': { dtype: 'fp32', use_external_data_format: true } });
    expect(config('safetensors')).not.toHaveProperty('transformers.js_config');
  });

  it('refuses a format that it does not know', async () => {
    const refused = await marft('export', '--model', MODEL, '--out', join(folder, 'gguf'), '--format', 'gguf');
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.err).toContain('safetensors, onnx, both');
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
