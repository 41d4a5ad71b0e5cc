import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { FileList } from '../../../../src/app/offline/files.ts';
import { FileStore, type Web } from '../../../../src/app/offline/store.ts';

const SCOPE = 'https://example.org/marft/';

/** A host whose files can be changed and a browser that keeps what it is told to, in memory. */
class World implements Web {
  readonly host = new Map<string, string>();
  readonly kept = new Map<string, Map<string, Response>>();
  readonly asked: string[] = [];
  online = true;

  fetch(request: Request): Promise<Response> {
    const file = request.url.slice(SCOPE.length);
    this.asked.push(file);
    if (!this.online) return Promise.reject(new TypeError('Failed to fetch'));
    const text = this.host.get(file);
    return Promise.resolve(text === undefined ? new Response('no', { status: 404 }) : new Response(text));
  }

  readonly caches: Web['caches'] = {
    open: (name) => {
      const files = this.kept.get(name) ?? new Map<string, Response>();
      this.kept.set(name, files);
      const cache: Pick<Cache, 'match' | 'put'> = {
        match: (key) => Promise.resolve(files.get(String(key))?.clone()),
        put: (key, response) => Promise.resolve(void files.set(String(key), response)),
      };
      return Promise.resolve(cache as Cache);
    },
    match: (key) => Promise.resolve([...this.kept.values()].map((files) => files.get(String(key))).find((found) => found !== undefined)?.clone()),
    keys: () => Promise.resolve([...this.kept.keys()]),
    delete: (name) => Promise.resolve(this.kept.delete(name)),
  };

  /** Publishes a build and gives the store that its service worker has. */
  publish(version: string, texts: Readonly<Record<string, string>>): FileStore {
    const files: Record<string, string | null> = {};
    for (const [file, text] of Object.entries(texts)) {
      this.host.set(file, text);
      files[file] = file.startsWith('assets/') ? null : createHash('sha256').update(text).digest('hex');
    }
    return new FileStore(this, files satisfies FileList, SCOPE, version);
  }
}

const get = async (store: FileStore, file: string): Promise<string> => (await store.answer(file, new Request(SCOPE + file))).text();

const ONE = { 'index.html': 'page one', 'assets/a-1.js': 'code', 'assets/b-1.js': 'more', 'models/m.json': '{}', 'ort/ort.wasm': 'wasm' };

describe('a build that has been visited', () => {
  it('is there without a network, but for what nobody asked to be kept', async () => {
    const world = new World();
    const store = world.publish('1', ONE);
    await store.keepAhead();
    world.online = false;
    expect(await get(store, 'index.html')).toBe('page one');
    expect(await get(store, 'assets/a-1.js')).toBe('code');
    expect(await get(store, 'models/m.json')).toBe('{}');
    await expect(get(store, 'ort/ort.wasm')).rejects.toThrow('Failed to fetch');
    world.online = true;
    await store.keep('ort/ort.wasm');
    await store.keep('nothing/of/the/build');
    world.online = false;
    expect(await get(store, 'ort/ort.wasm')).toBe('wasm');
  });

  it('asks the host for whatever may have changed, and for nothing else', async () => {
    const world = new World();
    const store = world.publish('1', ONE);
    await store.keepAhead();
    world.asked.length = 0;
    world.host.set('index.html', 'page two');
    expect(await get(store, 'index.html')).toBe('page two');
    expect(await get(store, 'models/m.json')).toBe('{}');
    expect(await get(store, 'assets/a-1.js')).toBe('code');
    expect(world.asked).toEqual(['index.html', 'models/m.json']);
  });

  it('never mixes with the one after it', async () => {
    const world = new World();
    const store = world.publish('1', ONE);
    await store.keepAhead();
    world.publish('2', { ...ONE, 'index.html': 'page two', 'models/m.json': '{"two":2}' });
    expect(await get(store, 'index.html')).toBe('page two');
    expect(await get(store, 'models/m.json')).toBe('{"two":2}');
    await new Promise((resolve) => setTimeout(resolve, 5));
    world.online = false;
    expect(await get(store, 'index.html')).toBe('page one');
    expect(await get(store, 'models/m.json')).toBe('{}');
  });

  it('gives way to the next, which fetches only what is new', async () => {
    const world = new World();
    await world.publish('1', ONE).keepAhead();
    world.asked.length = 0;
    const next = world.publish('2', { 'index.html': 'page two', 'assets/a-1.js': 'code', 'assets/b-2.js': 'other', 'models/m.json': '{}' });
    await next.keepAhead();
    expect(world.asked.toSorted()).toEqual(['assets/b-2.js', 'index.html', 'models/m.json']);
    await world.caches.open('of something else');
    await next.removeOthers();
    expect([...world.kept.keys()]).toEqual([`marft page ${SCOPE} 2`, 'of something else']);
  });

  it('is not kept while the host holds parts of another, and what was had is not fetched again', async () => {
    const world = new World();
    const store = world.publish('1', ONE);
    world.host.set('models/m.json', 'of another build');
    await expect(store.keepAhead()).rejects.toThrow('models/m.json is of another build');
    world.host.set('models/m.json', '{}');
    world.asked.length = 0;
    await store.keepAhead();
    expect(world.asked).toEqual(['models/m.json']);
  });
});
