import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { SweepResults } from '../../../src/experiment/sweep-results.ts';
import { marft } from './marft.ts';

const folder = mkdtempSync(join(tmpdir(), 'marft-sweep-'));
/** A Hub that has no model. */
const hub = createServer((_, response) => response.writeHead(404).end());
await new Promise<void>((resolve) => hub.listen(0, '127.0.0.1', resolve));
vi.stubEnv('MARFT_HUB_ENDPOINT', `http://127.0.0.1:${(hub.address() as AddressInfo).port}`);

afterAll(() => {
  vi.unstubAllEnvs();
  hub.close();
  rmSync(folder, { recursive: true });
});

const file = join(folder, 'tiny.json');
writeFileSync(
  file,
  JSON.stringify({ version: 1, name: 'tiny', base: 'micro-addition', set: ['schedule.iterations=1', 'schedule.finalEvalProblems=2'], arms: [{ name: 'a' }, { name: 'broken', set: ['model=hub:nobody/nothing'] }], seeds: [3] }),
);

describe('marft sweep', () => {
  it('runs, counts a run that fails, says so by its exit code, and merges shards to the same table', async () => {
    const at = (name: string): string => join(folder, name);
    const first = await marft('sweep', file, '--shard', '1/2', '--out', at('one'), '--runs', at('runs'));
    expect(first).toMatchObject({ code: 0, err: '' });
    expect(first.out).toContain('a, rate 0.003, seed 3: 0.000');
    const second = await marft('sweep', file, '--shard', '2/2', '--out', at('two'), '--runs', at('runs'));
    expect(second.code).toBe(1);
    expect(second.out).toContain('broken, rate 0.003, seed 3: failed: ');
    const merged = await marft('merge', at('one'), at('two'), '--out', at('both'), '--json');
    const whole = await marft('sweep', file, '--out', at('whole'), '--runs', at('runs'), '--json');
    expect(whole.err).toContain('seed 3: 0.000 (greedy 0.000), known already; 1 left');
    const [ofShards, ofWhole] = [merged.out, whole.out].map((text) => JSON.parse(text) as SweepResults);
    expect(ofShards?.arms).toEqual(ofWhole?.arms);
    expect(ofWhole?.arms.map(({ done, failed }) => [done, failed])).toEqual([[1, 0], [0, 1]]);
    expect(JSON.parse(readFileSync(join(at('both'), 'sweep.json'), 'utf8'))).toEqual(ofShards);
  });

  it('prints a document to start from', async () => {
    const { out } = await marft('sweep', 'paper/ippo', '--print', '--seeds', '4,9', '--set', 'schedule.iterations=3');
    const printed = JSON.parse(out) as { seeds: number[]; set: string[] };
    expect(printed.seeds).toEqual([4, 9]);
    expect(printed.set.at(-1)).toBe('schedule.iterations=3');
  });

  it.each<[string[], string]>([
    [['sweep'], '"sweep" needs a name or a file.'],
    [['sweep', 'paper/ipo'], 'There is no sweep named "paper/ipo". Did you mean paper/ippo?'],
    [['sweep', 'paper/ippo', '--seeds', 'a'], '"a" is no number of seeds and no list of them.'],
    [['sweep', 'paper/ippo', '--shard', '3/2'], '"3/2" is no part of a whole.'],
    [['sweep', 'paper/ippo', '--jobs', '0'], 'At least one run must go on at a time.'],
    [['sweep', 'paper/ippo', '--set', 'algorithm.clip=1'], 'An experiment has no field algorithm.clip.'],
    [['sweep', './nowhere.json'], 'The file ./nowhere.json cannot be read.'],
    [['merge', '--out', 'x'], '"merge" needs the folders of the shards.'],
    [['merge', 'x'], '"merge" needs --out.'],
  ])('refuses %j in a sentence and with exit code 2', async (args, sentence) => {
    const { code, out, err } = await marft(...args);
    expect(err).toContain(sentence);
    expect({ code, out }).toEqual({ code: 2, out: '' });
  });
});
