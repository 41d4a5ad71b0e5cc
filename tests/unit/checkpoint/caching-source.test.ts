import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DownloadProgress } from '../../../src/checkpoint/caching-source.ts';
import { folderStorage } from '../../../src/checkpoint/folder-storage.ts';
import { openCachedHub } from '../../../src/checkpoint/hub-cache.ts';
import type { HubOptions } from '../../../src/checkpoint/hub-client.ts';
import { openRepository } from '../../../src/checkpoint/repository.ts';
import { refusal } from './files.ts';
import { COMMIT, cutAfter, folderFiles, rangeOf, startHub, type HubServer } from './hub-server.ts';

const SHARDED = fileURLToPath(new URL('../../reference/fixtures/qwen2-untied', import.meta.url));
const ID = { repository: 'Org/small-model', revision: 'main' };
const SHARD = 'model-00002-of-00003.safetensors';

let hub: HubServer;
let cache = '';
beforeEach(async () => {
  hub = await startHub(ID.repository, folderFiles(SHARDED));
  cache = mkdtempSync(join(tmpdir(), 'marft-cache-'));
});
afterEach(async () => {
  await hub.close();
  rmSync(cache, { recursive: true });
});

async function open(id = ID, progress: DownloadProgress[] = [], change: HubOptions = {}) {
  const options = { endpoint: hub.endpoint, wait: () => Promise.resolve(), ...change };
  return (await openCachedHub(id, options, folderStorage(cache), (event) => progress.push(event))).source;
}

const place = (file: string): string => join(cache, new URL(hub.endpoint).host.replace(':', '_'), 'Org--small-model', COMMIT, file);
const shard = (): Uint8Array => hub.files.get(SHARD) ?? new Uint8Array(0);
const requested = (): string[] => hub.asked.filter((path) => !path.startsWith('/api/'));

describe('a cached model', () => {
  it('is fetched once, file by file as they are needed, and then read from the disk', async () => {
    const first = await openRepository(await open());
    const tensor = await first.readTensor('model.norm.weight');
    expect(requested().some((path) => path.includes('README'))).toBe(false);
    hub.asked.length = 0;
    const again = await openRepository(await open());
    expect(await again.readTensor('model.norm.weight')).toEqual(tensor);
    expect(hub.asked).toEqual(['/api/models/Org/small-model/revision/main']);
    expect(readdirSync(dirname(place('x'))).filter((name) => /partial|tmp/.test(name))).toEqual([]);
  });

  it('gives ranges, short where the file ends, and fetches a file once however many ask at the same time', async () => {
    const source = await open();
    const ranges = await Promise.all([source.readRange(SHARD, 10, 20), source.readRange(SHARD, shard().length - 3, shard().length + 9), source.read(SHARD)]);
    expect(ranges).toEqual([shard().slice(10, 20), shard().slice(-3), shard()]);
    expect(requested().filter((path) => path.startsWith('/cdn/'))).toHaveLength(1);
  });

  it('is there without a network once it was fetched, and a commit is not even asked for', async () => {
    await (await open()).read('config.json');
    await (await open({ ...ID, revision: COMMIT })).read('config.json');
    hub.asked.length = 0;
    expect(await (await open({ ...ID, revision: COMMIT })).read('config.json')).toEqual(hub.files.get('config.json'));
    expect(hub.asked).toEqual([]);
    hub.misbehave = (_, response) => response.destroy() !== undefined;
    expect(await (await open()).read('config.json')).toEqual(hub.files.get('config.json'));
    expect(await refusal(async () => (await open()).read('tokenizer.json'))).toBe('network');
  });

  it('goes on where an earlier program was cut off', async () => {
    hub.misbehave = (request, response) => {
      if (!request.url?.startsWith('/cdn/')) return false;
      cutAfter(response, shard(), rangeOf(request), 1000);
      return true;
    };
    expect(await refusal(async () => (await open()).read(SHARD))).toBe('network');
    expect(readFileSync(`${place(SHARD)}.partial`)).toHaveLength(5000);
    hub.misbehave = () => false;
    hub.asked.length = 0;
    const progress: DownloadProgress[] = [];
    expect(await (await open(ID, progress)).read(SHARD)).toEqual(shard());
    expect(requested().at(-1)).toBe(`/cdn/${COMMIT}/${SHARD} 5000-${shard().length - 1}`);
    expect(progress.at(-1)).toEqual({ path: SHARD, received: shard().length, total: shard().length });
  });

  it('fetches afresh what it cannot go on with, and refuses what is damaged', async () => {
    mkdirSync(dirname(place(SHARD)), { recursive: true });
    writeFileSync(`${place(SHARD)}.partial`, new Uint8Array(700));
    expect(await (await open()).read(SHARD)).toEqual(shard());
    appendFileSync(place(SHARD), 'x');
    expect(await (await open()).read(SHARD)).toEqual(shard());
    writeFileSync(`${place('config.json')}.partial`, new Uint8Array(100_000));
    expect(await (await open()).read('config.json')).toEqual(hub.files.get('config.json'));
    const source = await open();
    const other = 'model-00003-of-00003.safetensors';
    hub.files.set(other, (hub.files.get(other) ?? new Uint8Array(0)).map((byte) => byte ^ 1));
    expect(await refusal(() => source.read(other))).toBe('checkpoint-broken');
    expect(readFileSync(`${place(other)}.partial`)).toHaveLength(0);
  });

  it('may be fetched by two programs at once', async () => {
    const [one, two] = [await open(), await open()];
    expect(await Promise.all([one.read(SHARD), two.read(SHARD)])).toEqual([shard(), shard()]);
  });

  it('says when the folder cannot be written, and what is not in the model', async () => {
    expect(await refusal(async () => (await open()).read('none.bin'))).toBe('file-missing');
    writeFileSync(join(cache, 'file'), '');
    const blocked = folderStorage(join(cache, 'file'));
    expect(await refusal(() => openCachedHub(ID, { endpoint: hub.endpoint }, blocked))).toBe('not-writable');
  });
});
