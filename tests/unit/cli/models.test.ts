/** The command line on models of the Hub and of folders, over a Hub in miniature. */
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { COMMIT, folderFiles, startHub, type HubServer } from '../checkpoint/hub-server.ts';
import { marft } from './marft.ts';

const MICRO = fileURLToPath(new URL('../../../public/models/marft-micro', import.meta.url));
const SHARDED = fileURLToPath(new URL('../../reference/fixtures/qwen2-untied', import.meta.url));
const SMALL_RUN = ['--iterations', '1', '--set', 'schedule.finalEvalProblems=4'];

const place = mkdtempSync(join(tmpdir(), 'marft-models-'));
const token = process.env['HF_TOKEN'];
afterAll(() => {
  rmSync(place, { recursive: true });
  if (token !== undefined) process.env['HF_TOKEN'] = token;
});

let hub: HubServer;
beforeAll(async () => {
  delete process.env['HF_TOKEN'];
  hub = await startHub('Org/micro', new Map());
});
afterAll(() => hub.close());
beforeEach(() => {
  hub.files = folderFiles(MICRO);
  hub.asked.length = 0;
  hub.tokens.length = 0;
});

/** With the Hub in miniature and a cache of that name. */
const onHub = (cache: string): string[] => ['--hub-endpoint', hub.endpoint, '--cache', join(place, cache)];

function ids(): string {
  const file = join(place, 'ids.json');
  writeFileSync(file, '[[4, 9, 8, 7]]');
  return file;
}

const readJson = (...path: string[]): unknown => JSON.parse(readFileSync(join(place, ...path), 'utf8'));

describe('a model of the Hub', () => {
  it('trains, and the run says which commit it was', async () => {
    const out = join(place, 'run');
    const { code, err } = await marft('run', 'micro-addition', ...SMALL_RUN, '--model', 'Org/micro', '--out', out, ...onHub('cache'));
    expect(err).toBe('');
    expect(code).toBe(0);
    expect(readJson('run', 'experiment.json')).toMatchObject({ model: 'hub:Org/micro' });
    expect(readJson('run', 'result.json')).toMatchObject({ model: `Org/micro@${COMMIT}` });
    expect(readJson('run', 'adapters', 'solver', 'adapter_config.json')).toMatchObject({ base_model_name_or_path: 'Org/micro' });
  });

  it('may be the experiment\'s own, and is not downloaded again', async () => {
    const { code } = await marft('run', join(place, 'run', 'experiment.json'), '--out', join(place, 'again'), ...onHub('cache'));
    expect(code).toBe(0);
    expect(hub.asked).toEqual(['/api/models/Org/micro/revision/main']);
  });

  it('scores the same as its folder; at a commit that was fetched before, without a network', async () => {
    const scored = await marft('score', '--model', `Org/micro@${COMMIT}`, '--ids', ids(), ...onHub('cache'));
    expect(scored.code).toBe(0);
    expect(scored.out).toBe((await marft('score', '--model', MICRO, '--ids', ids())).out);
    expect(scored.out).toBe((await marft('score', '--model', 'marft-micro', '--ids', ids())).out);
    hub.asked.length = 0;
    expect((await marft('score', '--model', `Org/micro@${COMMIT}`, '--ids', ids(), ...onHub('cache'))).out).toBe(scored.out);
    expect(hub.asked).toEqual([]);
  });

  it('is refused when there is none of that name or revision', async () => {
    expect((await marft('score', '--model', 'Org/none', '--ids', ids(), ...onHub('cache'))).err).toContain('The Hub does not show Org/none to strangers');
    expect((await marft('score', '--model', 'Org/micro@none', '--ids', ids(), ...onHub('cache'))).err).toContain('Org/micro has no such revision.');
  });

  it('may be in shards, in half precision, and without a tokenizer where only ids are scored', async () => {
    hub.files = folderFiles(SHARDED);
    hub.files.delete('tokenizer.json');
    const scored = await marft('score', '--model', 'Org/micro', '--ids', ids(), ...onHub('sharded'));
    expect(scored).toMatchObject({ code: 0, err: '' });
    expect(scored.out).toBe((await marft('score', '--model', SHARDED, '--ids', ids())).out);
  });

  it.each<[string, object]>([
    ['The architecture "llama" is not supported.', { model_type: 'llama' }],
    ['Sliding-window attention is not supported.', { use_sliding_window: true }],
    ['Scaled rotary positions are not supported.', { rope_scaling: { type: 'yarn', factor: 4 } }],
  ])('is refused before its weights or anything else is asked for: %s', async (sentence, change) => {
    const config = { ...(JSON.parse(readFileSync(join(MICRO, 'config.json'), 'utf8')) as object), ...change };
    hub.files.set('config.json', new TextEncoder().encode(JSON.stringify(config)));
    const cache = `refused-${Object.keys(change).join()}`;
    for (const command of [['run', 'micro-addition', '--out', join(place, 'refused')], ['score', '--ids', ids()]]) {
      const { code, err } = await marft(...command, '--model', 'Org/micro', ...onHub(cache));
      expect(err).toContain(sentence);
      expect(code).toBe(1);
    }
    // The second command finds the description in the cache.
    expect(hub.asked.filter((path) => path.includes('/resolve/')).map((path) => path.replace(/ .*/, ''))).toEqual([`/Org/micro/resolve/${COMMIT}/config.json`]);
  });

  it('is refused without a chat template before its weights are asked for', async () => {
    hub.files.set('tokenizer_config.json', new TextEncoder().encode('{}'));
    const { err } = await marft('run', 'micro-addition', '--model', 'Org/micro', '--out', join(place, 'refused'), ...onHub('no-template'));
    expect(err).toContain('The model has no chat template.');
    expect(hub.asked.filter((path) => path.includes('safetensors'))).toEqual([]);
  });

  it('is asked for with the token of the environment, which is written nowhere', async () => {
    process.env['HF_TOKEN'] = 'hf_secret';
    const out = join(place, 'with-token');
    const { code, out: printed } = await marft('run', 'micro-addition', ...SMALL_RUN, '--model', 'Org/micro', '--out', out, ...onHub('token-cache'));
    delete process.env['HF_TOKEN'];
    expect(code).toBe(0);
    expect(hub.tokens.every((sent) => sent === 'Bearer hf_secret')).toBe(true);
    const written = [out, join(place, 'token-cache')].flatMap((folder) => [...allFiles(folder)]);
    expect(written.length).toBeGreaterThan(8);
    for (const file of written) expect(readFileSync(file, 'latin1')).not.toContain('hf_secret');
    expect(printed).not.toContain('hf_secret');
  });
});

describe('a limit of memory', () => {
  it('is kept by playing in parts, which changes nothing but memory', async () => {
    const run = (name: string, ...limit: string[]) => marft('run', 'micro-addition', ...SMALL_RUN, '--set', 'schedule.episodes=16', '--out', join(place, name), ...limit);
    const free = await run('free');
    const tight = await run('tight', '--memory-limit', '162');
    expect(tight.out).toMatch(/Memory: program 160\.\d \+ base 0\.\d \+ adapters .* = 16[01]\.\d MB, (?:[1-9]|1[0-5]) of the longest sequences at once\./);
    expect([free.code, tight.code]).toEqual([0, 0]);
    const metrics = (name: string) => readJson(name, 'metrics.jsonl') as Record<string, number>;
    for (const key of ['reward/mean', 'reasoner/entropy', 'solver/entropy', 'solver/lora_norm']) {
      expect(metrics('free')[key], key).toBeTypeOf('number');
      expect(metrics('tight')[key], key).toBeCloseTo(metrics('free')[key] ?? Number.NaN, 4);
    }
  });

  it('refuses a model that cannot fit before its weights are asked for', async () => {
    const { code, err } = await marft('run', 'micro-addition', '--model', 'Org/micro', '--memory-limit', '161', '--set', 'team.agents.0.adapter.rank=256', '--out', join(place, 'refused'), ...onHub('limited'));
    expect(err).toMatch(/The run needs \d+\.\d MB with one sequence at a time, program 160\.\d \+ base 0\.\d \+ adapters .*, but only 161\.0 MB are allowed\./);
    expect(code).toBe(1);
    expect(hub.asked.filter((path) => path.includes('safetensors'))).toEqual([]);
  });

  it.each(['0', '-3', 'x'])('is not "%s"', async (limit) => {
    expect((await marft('run', 'micro-addition', `--memory-limit=${limit}`)).code).toBe(2);
  });
});

describe('a model in a folder', () => {
  it('trains, while the experiment keeps naming a model that it may name', async () => {
    const out = join(place, 'folder-run');
    const { code, out: printed } = await marft('run', 'micro-addition', ...SMALL_RUN, '--model', MICRO, '--out', out);
    expect(code).toBe(0);
    expect(printed).toContain(`Model: ${MICRO}.`);
    expect(readJson('folder-run', 'experiment.json')).toMatchObject({ model: 'marft-micro' });
    expect(readJson('folder-run', 'result.json')).toMatchObject({ model: MICRO });
  });

  it.each<[string[], string]>([
    [['--model', './nowhere'], 'There is no config.json in ./nowhere.'],
    [['--model', 'somewhere'], '"somewhere" is no model of the Hub.'],
    [['--model', 'a/b', '--hub-endpoint', 'nowhere'], '"nowhere" is no address of a Hub.'],
    [['--set', 'model=./folder'], 'model must be one of'],
  ])('is refused in a sentence: %j', async (args, sentence) => {
    const { code, err } = await marft('run', 'micro-addition', '--out', join(place, 'refused'), ...args);
    expect(err).toContain(sentence);
    expect(err).not.toContain('    at ');
    expect(code).toBeGreaterThan(0);
  });
});

function* allFiles(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) yield* allFiles(join(folder, entry.name));
    else yield join(folder, entry.name);
  }
}
