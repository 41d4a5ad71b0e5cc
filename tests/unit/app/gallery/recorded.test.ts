import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { fetchRecordedList, recordedAddress, type Recorded } from '../../../../src/app/gallery/recorded-list.ts';
import { parseRecordedRun } from '../../../../src/app/logic/recorded-run.ts';
import { modelChoice } from '../../../../src/experiment/model.ts';
import { PRESETS, presetByName } from '../../../../src/experiment/presets.ts';

const RECORDED = new URL('../../../../public/recorded/', import.meta.url);
const FOLDER = 'https://example.org/marft/recorded/duo-addition.json';
/** Compressed. The page opens with the first, of which more can be read. */
const MOST_BYTES = 60_000;
const FIRST = 'duo-addition';

const files = readdirSync(RECORDED).filter((file) => file.endsWith('.json') && file !== 'gallery.json');
const read = (file: string): string => readFileSync(new URL(file, RECORDED), 'utf8');

afterEach(() => vi.unstubAllGlobals());

async function listed(): Promise<Recorded[]> {
  vi.stubGlobal('fetch', (url: URL) => Promise.resolve(new Response(read(url.href.replace(/^.*\//, '')))));
  return fetchRecordedList(FOLDER);
}

describe('recorded runs', () => {
  it.each(files)('%s is a whole run of its preset as it is today, small enough to be opened at once', (file) => {
    const text = read(file);
    const { experiment, metrics, episodes } = parseRecordedRun(JSON.parse(text));
    expect(experiment).toEqual(presetByName(file.replace('.json', '')));
    expect(metrics.map(({ iteration }) => iteration)).toEqual(Array.from({ length: experiment.schedule.iterations + 1 }, (_, k) => k));
    expect(new Set(episodes.map(({ iteration }) => iteration)).size).toBeGreaterThan(2);
    if (file !== `${FIRST}.json`) expect(gzipSync(text).length).toBeLessThan(MOST_BYTES);
  });

  it('are listed as they are, each with the command that made it', async () => {
    const list = await listed();
    expect(list.map(({ preset }) => `${preset}.json`).sort()).toEqual(files);
    for (const { preset, command, iterations, heldOut, curve } of list) {
      const document = JSON.parse(read(`${preset}.json`)) as Recorded;
      expect({ command, heldOut }).toEqual({ command: document.command, heldOut: document.heldOut });
      expect(command).toBe(`npm run --silent marft -- run ${preset}`);
      const rewards = parseRecordedRun(document).metrics.flatMap((row) => (row.iteration > 0 ? (row['reward/mean'] ?? []) : []));
      expect([iterations, curve[0], curve.at(-1)]).toEqual([rewards.length, rewards[0], rewards.at(-1)]);
    }
  });

  it('are there for every experiment that needs nothing from elsewhere and is long enough to learn', () => {
    const own = PRESETS.filter(({ experiment }) => modelChoice(experiment.model).kind === 'embedded' && experiment.schedule.iterations > 2);
    expect(own.map(({ name }) => `${name}.json`).sort()).toEqual(files);
  });

  it('that cannot be listed are a sentence', async () => {
    vi.stubGlobal('fetch', () => Promise.resolve(new Response('', { status: 404 })));
    await expect(fetchRecordedList(FOLDER)).rejects.toThrow('The list of recorded runs could not be loaded.');
    vi.stubGlobal('fetch', () => Promise.resolve(new Response('[{"preset": "../x"}]')));
    await expect(fetchRecordedList(FOLDER)).rejects.toThrow('The list of recorded runs could not be loaded.');
    expect(recordedAddress(FOLDER, 'secret')).toBe('https://example.org/marft/recorded/secret.json');
  });
});
