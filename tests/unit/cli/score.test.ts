import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { marft } from './marft.ts';

const MODEL = fileURLToPath(new URL('../../../public/models/marft-tiny', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'marft-score-'));
afterAll(() => rmSync(folder, { recursive: true }));

function score(ids: string, ...options: string[]): Promise<{ code: number; out: string; err: string }> {
  const file = join(folder, 'ids.json');
  writeFileSync(file, ids);
  return marft('score', '--model', MODEL, '--ids', file, ...options);
}

interface Scored {
  logprobs: number[];
  entropies: number[];
}

describe('marft score', () => {
  it('scores all ids but the first of a list, and the tokens after a prompt, alike', async () => {
    const { code, out } = await score('[[418, 9, 8, 7], {"prompt": [418, 9], "tokens": [8, 7]}]');
    expect(code).toBe(0);
    const [list, split] = JSON.parse(out) as Scored[];
    expect(list?.logprobs).toHaveLength(3);
    expect(split?.logprobs).toHaveLength(2);
    split?.logprobs.forEach((value, t) => expect(value).toBeCloseTo(list?.logprobs[t + 1] ?? Number.NaN, 4));
    split?.entropies.forEach((value) => expect(value).toBeGreaterThanOrEqual(0));
  });

  it('divides the logits by the temperature: the hotter, the closer to uniform', async () => {
    const entropy = async (...options: string[]): Promise<number> => (JSON.parse((await score('[[418, 9]]', ...options)).out) as Scored[])[0]?.entropies[0] ?? Number.NaN;
    expect(await entropy('--temperature', '4')).toBeGreaterThan(await entropy());
  });

  it('holds the model in the precision asked for', async () => {
    const logprobs = async (...options: string[]): Promise<number[]> => (JSON.parse((await score('[[418, 9, 8, 7]]', ...options)).out) as Scored[])[0]?.logprobs ?? [];
    const exact = await logprobs();
    const distance = (numbers: number[]): number => Math.max(...numbers.map((number, t) => Math.abs(number - (exact[t] ?? Number.NaN))));
    expect(await logprobs('--precision', 'f32')).toEqual(exact);
    const [half, four] = [distance(await logprobs('--precision', 'f16')), distance(await logprobs('--precision', '4-bit'))];
    expect(half).toBeGreaterThan(0);
    expect(half).toBeLessThan(0.02);
    expect(four).toBeGreaterThan(half);
    expect(four).toBeLessThan(1);
  });

  it.each<[string, string[], string]>([
    ['[[1]]', ['--precision', '8-bit'], 'There is no precision "8-bit".'],
    ['not json', [], 'could not be read as JSON'],
    ['[[-1]]', [], 'does not hold lists of token ids'],
    ['[[1, 99999]]', [], 'The id 99999 is outside the model'],
    ['[[1, 2]]', ['--temperature', '0'], 'The temperature must be a number above 0.'],
    ['[[1, 2]]', ['--adapter', folder], 'There is no adapter_config.json'],
  ])('refuses %s %s in a sentence', async (ids, options, sentence) => {
    const { code, err } = await score(ids, ...options);
    expect(code).toBeGreaterThan(0);
    expect(err).toContain(sentence);
    expect(err).not.toContain('    at ');
  });
});
