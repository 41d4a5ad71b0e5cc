import { fileURLToPath } from 'node:url';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseHubId, showHubId } from '../../../src/checkpoint/hub-id.ts';
import { findRevision, openHub } from '../../../src/checkpoint/hub-source.ts';
import type { HubOptions } from '../../../src/checkpoint/hub-client.ts';
import { openRepository } from '../../../src/checkpoint/repository.ts';
import type { PlaygroundError } from '../../../src/runtime/errors.ts';
import { refusal } from './files.ts';
import { COMMIT, cutAfter, folderFiles, rangeOf, startHub, type HubServer } from './hub-server.ts';

const SHARDED = fileURLToPath(new URL('../../reference/fixtures/qwen2-untied', import.meta.url));
const ID = { repository: 'Org/small-model', revision: 'main' };
const SHARD = 'model-00001-of-00003.safetensors';

let hub: HubServer;
const waits: number[] = [];
beforeEach(async () => {
  waits.length = 0;
  hub = await startHub(ID.repository, folderFiles(SHARDED));
});
afterEach(() => hub.close());

function options(change: HubOptions = {}): HubOptions {
  return {
    endpoint: hub.endpoint,
    wait: (milliseconds) => {
      waits.push(milliseconds);
      return Promise.resolve();
    },
    ...change,
  };
}

async function open(change: HubOptions = {}) {
  return openHub(await findRevision(ID, options(change)), options(change));
}

async function errorOf(work: () => Promise<unknown>): Promise<PlaygroundError> {
  try {
    await work();
  } catch (error) {
    return error as PlaygroundError;
  }
  throw new Error('nothing was refused');
}

const shard = (): Uint8Array => hub.files.get(SHARD) ?? new Uint8Array(0);

describe('a Hub id', () => {
  it('is an owner and a name, with a revision or without', () => {
    expect(parseHubId('Qwen/Qwen2.5-0.5B-Instruct')).toEqual({ repository: 'Qwen/Qwen2.5-0.5B-Instruct', revision: 'main' });
    expect(parseHubId('a/b@refs/pr/1')).toEqual({ repository: 'a/b', revision: 'refs/pr/1' });
    for (const text of ['a/b', `a/b@${COMMIT}`]) expect(showHubId(parseHubId(text))).toBe(text);
  });

  it.each([
    '', 'name', 'a/b/c', '../b', 'a/..', '/a/b', 'a/b@', 'a/b@../x', 'a/b@x//y', 'a/b@-x', '-a/b', 'a/--b', 'a/b.git', 'a/b?x=1', 'a/b#x',
    'a/%2e%2e', 'a\\b/c', 'https://elsewhere.example/a/b', '//elsewhere.example/b', 'a/b\n', ' a/b', 'a/b@x y', 'user:secret@a/b', `a/${'b'.repeat(97)}`,
  ])('is not "%s"', (text) => {
    expect(() => parseHubId(text)).toThrow(/is no model of the Hub/);
  });
});

describe('a model on the Hub', () => {
  it('reads the same as the folder it came from, at the commit that its revision names', async () => {
    const source = await open();
    expect(hub.asked).toEqual(['/api/models/Org/small-model/revision/main']);
    const repository = await openRepository(source);
    const tensor = await repository.readTensor('model.norm.weight');
    expect(tensor.dims).toEqual([48]);
    expect(await source.readRange(SHARD, 100, 200)).toEqual(shard().slice(100, 200));
    expect(await source.readRange(SHARD, shard().length - 5, shard().length + 5)).toEqual(shard().slice(-5));
    expect(hub.asked.slice(1).every((path) => path.includes(`/${COMMIT}/`))).toBe(true);
  });

  it('asks for a revision with slashes as one name, and says when there is none', async () => {
    await findRevision({ ...ID, revision: 'refs/pr/1' }, options());
    expect(hub.asked).toEqual(['/api/models/Org/small-model/revision/refs%2Fpr%2F1']);
    expect(await refusal(() => findRevision({ ...ID, revision: 'none' }, options()))).toBe('hub-missing');
  });

  it('never asks for a file that the Hub does not list, nor for one outside', async () => {
    const source = await open();
    hub.asked.length = 0;
    expect(await refusal(() => source.read('chat_template.jinja'))).toBe('file-missing');
    await expect(source.read('../../other/config.json')).rejects.toThrow(RangeError);
    expect(hub.asked).toEqual([]);
  });

  it('goes on at the byte where the connection was cut', async () => {
    let cuts = 0;
    hub.misbehave = (request, response) => {
      if (!request.url?.startsWith('/cdn/') || cuts === 3) return false;
      cuts += 1;
      cutAfter(response, shard(), rangeOf(request), 1000);
      return true;
    };
    const source = await open();
    expect(await source.read(SHARD)).toEqual(shard());
    const last = shard().length - 1;
    expect(hub.asked.filter((path) => path.startsWith('/cdn/'))).toEqual([0, 1000, 2000, 3000].map((start) => `/cdn/${COMMIT}/${SHARD} ${start}-${last}`));
    expect(waits).toEqual([500, 1000, 2000]);
  });

  it('gives up a connection that is cut again and again, and one over which nothing comes', async () => {
    hub.misbehave = (request, response) => {
      if (!request.url?.startsWith('/cdn/')) return false;
      cutAfter(response, shard(), rangeOf(request), 10);
      return true;
    };
    expect((await errorOf(async () => (await open()).read(SHARD))).message).toContain('cut 5 times');
    hub.misbehave = (request) => request.url?.startsWith('/cdn/') ?? false;
    expect(await refusal(async () => (await open({ patience: 50 })).read(SHARD))).toBe('network');
  });

  it('reads from a server that ignores ranges', async () => {
    hub.misbehave = (request, response) => {
      if (!request.url?.startsWith('/cdn/')) return false;
      response.end(shard());
      return true;
    };
    expect(await (await open()).readRange(SHARD, 100, 200)).toEqual(shard().slice(100, 200));
  });

  it('is refused when a file is of another size or content than the Hub says', async () => {
    const source = await open();
    const damaged = shard().slice();
    damaged[500] = (damaged[500] ?? 0) ^ 1;
    hub.files.set(SHARD, damaged);
    expect(await refusal(() => source.read(SHARD))).toBe('checkpoint-broken');
    hub.files.set(SHARD, damaged.slice(0, -1));
    expect(await refusal(() => source.readRange(SHARD, 0, 10))).toBe('checkpoint-broken');
  });

  it('waits when the server is busy, as long as it asks, and not for ever', async () => {
    let busy = 2;
    hub.misbehave = (_, response) => {
      if (busy === 0) return false;
      busy -= 1;
      response.writeHead(busy === 1 ? 503 : 429, { 'retry-after': '7' }).end();
      return true;
    };
    await open();
    expect(waits).toEqual([7000, 7000]);
    busy = Infinity;
    expect((await errorOf(() => open())).message).toContain('allows no more requests');
  });

  it('says who may have it when it is gated, and what to do, with and without a token', async () => {
    hub.misbehave = (request, response) => {
      if (!request.url?.includes('/resolve/')) return false;
      response.writeHead(401, { 'x-error-code': 'GatedRepo' }).end();
      return true;
    };
    const stranger = await errorOf(async () => (await open()).read('config.json'));
    expect(stranger).toMatchObject({ code: 'hub-access' });
    expect(stranger.message).toContain('is gated');
    expect(stranger.hint).toContain(`${hub.endpoint}/Org/small-model`);
    expect(stranger.hint).toContain('HF_TOKEN');
    const known = await errorOf(async () => (await open({ token: 'hf_secret' })).read('config.json'));
    expect(known.message).toContain('to the account of this token');
    expect(JSON.stringify([known.message, known.hint, known.stack])).not.toContain('hf_secret');
    expect(await refusal(() => findRevision({ ...ID, repository: 'Org/none' }, options()))).toBe('hub-access');
  });

  it('says when the Hub no longer takes the token itself', async () => {
    hub.misbehave = (_, response) => {
      response.writeHead(401).end('{"error":"Invalid credentials in Authorization header"}');
      return true;
    };
    const error = await errorOf(() => open({ token: 'hf_old' }));
    expect(error.code).toBe('hub-token');
    expect(error.message).toContain('it has run out');
    expect(await refusal(() => open())).toBe('hub-access');
  });

  it('sends the token to the Hub and to nobody else', async () => {
    const seen: (string | undefined)[] = [];
    const elsewhere = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.end(shard());
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    hub.misbehave = (request, response) => {
      if (!request.url?.includes(SHARD)) return false;
      response.writeHead(302, { location: `http://localhost:${(elsewhere.address() as AddressInfo).port}/` }).end();
      return true;
    };
    await (await open({ token: 'hf_secret' })).read(SHARD);
    elsewhere.close();
    expect(hub.tokens).toEqual(['Bearer hf_secret', 'Bearer hf_secret']);
    expect(seen).toEqual([undefined]);
    expect(await refusal(() => findRevision(ID, { endpoint: 'http://hub.example', token: 'hf_secret' }))).toBe('hub-endpoint');
    const broken = await errorOf(() => findRevision(ID, options({ token: 'hf_secret\n' })));
    expect(broken.code).toBe('hub-token');
    expect(JSON.stringify([broken.message, broken.stack, broken.cause])).not.toContain('hf_secret');
  });

  it('says when nobody answers, and when it is not the Hub that does', async () => {
    // Port 1 is nobody's.
    const nobody = await errorOf(() => findRevision(ID, options({ endpoint: 'http://127.0.0.1:1' })));
    expect(nobody.message).toBe('Org/small-model could not be fetched from 127.0.0.1:1: the connection failed.');
    hub.misbehave = (_, response) => {
      response.end('{"siblings": "none"}');
      return true;
    };
    expect(await refusal(() => findRevision(ID, options()))).toBe('hub-answer');
    for (const endpoint of ['nowhere', 'file:///etc', 'https://user@hub.example', 'https://hub.example/?x']) {
      expect(await refusal(() => findRevision(ID, { endpoint }))).toBe('hub-endpoint');
    }
  });

  it('takes a range whose place the server keeps to itself, as to a page, when its length is right', async () => {
    hub.misbehave = (request, response) => {
      const range = rangeOf(request);
      if (!request.url?.startsWith('/cdn/') || !range) return false;
      response.writeHead(206, { 'content-length': Number(range[2]) + 1 - Number(range[1]) }).end(shard().subarray(Number(range[1]), Number(range[2]) + 1));
      return true;
    };
    expect(await (await open()).readRange(SHARD, 10, 20)).toEqual(shard().slice(10, 20));
  });

  it('stops when it is told to, also while it waits to try again', async () => {
    const controller = new AbortController();
    const source = await open({ signal: controller.signal, wait: () => new Promise(() => undefined) });
    hub.misbehave = (_, response) => {
      response.writeHead(503).end();
      setTimeout(() => controller.abort(), 20);
      return true;
    };
    expect(await refusal(() => source.read(SHARD))).toBe('stopped');
    expect(await refusal(() => source.read(SHARD))).toBe('stopped');
  });
});
