/** The files of one build in the browser's cache. */
import { keptAhead, PAGE, type FileList } from './files.ts';

/** Files that are fetched at once. */
const AT_ONCE = 6;

/** As much of the browser as is needed. */
export interface Web {
  caches: Pick<CacheStorage, 'open' | 'keys' | 'delete' | 'match'>;
  fetch(request: Request): Promise<Response>;
}

export class FileStore {
  readonly #web: Web;
  readonly #files: FileList;
  /** The page's folder, ending in a slash. */
  readonly #scope: string;
  readonly #version: string;

  /** `version` is another one for every other list of files. */
  constructor(web: Web, files: FileList, scope: string, version: string) {
    this.#web = web;
    this.#files = files;
    this.#scope = scope;
    this.#version = version;
  }

  /** Fetches what is kept ahead. Rejects when not all of it could be had; what could is there for the next attempt. */
  async keepAhead(): Promise<void> {
    const waiting = keptAhead(this.#files);
    const fetching = async (): Promise<void> => {
      for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) await this.keep(file);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, fetching));
  }

  /** Fetches a file of the build, unless it is there already. Rejects when it cannot be had as the build has it. */
  async keep(file: string): Promise<void> {
    const cache = await this.#open();
    const address = this.#address(file);
    const hash = this.#files[file];
    if (hash === undefined || (await cache.match(address))) return;
    // Of a build before this one, or of this one: the name says what it holds.
    const known = hash === null ? await this.#web.caches.match(address) : undefined;
    await this.#put(file, known ?? (await this.#web.fetch(new Request(address, hash === null ? {} : { cache: 'no-cache' }))));
  }

  /** The answer to a request for a file of the build. Rejects when there is neither a network nor a kept file. */
  async answer(file: string, request: Request): Promise<Response> {
    const kept = async (): Promise<Response | undefined> => (await this.#open()).match(this.#address(file));
    if (this.#files[file] === null) return (await kept()) ?? this.#keeping(file, await this.#web.fetch(request));
    // Without a network, and never before: with one the page is as new as the host has it.
    try {
      return this.#keeping(file, await this.#web.fetch(request));
    } catch (cause) {
      const found = await kept();
      if (!found) throw cause;
      return found;
    }
  }

  /** Removes the files of other builds of this page. */
  async removeOthers(): Promise<void> {
    const names = await this.#web.caches.keys();
    await Promise.all(names.filter((name) => name.startsWith(this.#prefix()) && name !== this.#name()).map((name) => this.#web.caches.delete(name)));
  }

  /** Keeps a whole answer as it passes, the page itself aside: that has to go with all other files of its build. */
  #keeping(file: string, response: Response): Response {
    if (response.status === 200 && file !== PAGE) this.#put(file, response.clone()).catch(() => undefined);
    return response;
  }

  async #put(file: string, response: Response): Promise<void> {
    if (response.status !== 200) throw new Error(`${file}: ${response.status}`);
    const { headers } = response;
    const body = await response.arrayBuffer();
    const hash = this.#files[file];
    if (typeof hash === 'string' && (await sha256(body)) !== hash) throw new Error(`${file} is of another build`);
    await (await this.#open()).put(this.#address(file), new Response(body, { headers }));
  }

  #open(): Promise<Cache> {
    return this.#web.caches.open(this.#name());
  }

  #prefix(): string {
    return `marft page ${this.#scope} `;
  }

  #name(): string {
    return this.#prefix() + this.#version;
  }

  #address(file: string): string {
    return new URL(file, this.#scope).href;
  }
}

async function sha256(bytes: ArrayBuffer): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
