/** A merged model in Python's transformers: what `merged_model_fixture.py` recorded, about the files that are written now. */
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { marft } from '../unit/cli/marft.ts';
import { expectClose, fixtureJson, fixtureTensors } from './fixtures.ts';

/** By model: SHA-256 of the weights, and logits [rows][tokens · vocabulary]. */
type Reference = Record<string, { weights: string; logits: number[][] }>;

const reference = fixtureJson<Reference>('merged-by-us.json');
const folder = mkdtempSync(join(tmpdir(), 'marft-merged-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe.each(Object.entries(reference))('%s with its adapter folded in', (name, { weights, logits }) => {
  it('is written as the bytes that transformers loaded', async () => {
    const base = fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));
    const out = join(folder, name);
    expect(await marft('export', '--model', base, '--adapter', join(base, 'adapter-all'), '--out', out)).toMatchObject({ code: 0 });
    expect(createHash('sha256').update(readFileSync(join(out, 'model.safetensors'))).digest('hex'), 'run merged_model_fixture.py').toBe(weights);
  });

  it('gave transformers the logits of the base under PEFT', () => {
    const expected = fixtureTensors(`${name}/expected.safetensors`);
    logits.forEach((row, r) => expectClose(row, expected.get(`logits.all.${r}`)?.data ?? [], `logits of row ${r}`));
  });
});
