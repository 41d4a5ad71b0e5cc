/** Files below one address, fetched whole or by byte range; nothing else is ever asked. */
import { PlaygroundError } from '../runtime/errors.ts';
import { safePath } from './safe-path.ts';
import type { FileSource } from './source.ts';

const PARTIAL_CONTENT = 206;
const NOT_FOUND = 404;
const RANGE_NOT_SATISFIABLE = 416;

/** `base` is the folder's address and ends in `/`. */
export function openHttp(base: string): FileSource {
  const root = new URL(base);
  if (!root.pathname.endsWith('/')) throw new RangeError(`${base} does not end in a slash`);
  /** The last file of a server that ignores ranges, so that it is fetched once; one only, because a shard can be gigabytes. */
  let whole: { path: string; bytes: Promise<Uint8Array> } | null = null;

  async function request(path: string, options: RequestInit): Promise<Response> {
    const address = new URL(safePath(path), root);
    let response: Response;
    try {
      // A redirect could lead to another host.
      response = await fetch(address, { ...options, redirect: 'error' });
    } catch (cause) {
      throw new PlaygroundError('network', `${path} could not be fetched: the connection failed.`, 'Check the network and try again; nothing was lost.', { cause });
    }
    if (response.status === NOT_FOUND || isPage(response)) {
      throw new PlaygroundError('file-missing', `There is no ${path} at ${root.href}.`, 'Reload the page; if it stays away, the site was published without its models.');
    }
    if (!response.ok && response.status !== RANGE_NOT_SATISFIABLE) {
      throw new PlaygroundError('network', `${path} could not be fetched: the server answered ${response.status}.`, 'Try again in a moment.');
    }
    return response;
  }

  async function body(path: string, response: Response): Promise<Uint8Array> {
    try {
      return new Uint8Array(await response.arrayBuffer());
    } catch (cause) {
      throw new PlaygroundError('network', `The connection was cut while ${path} was fetched.`, 'Check the network and try again; nothing was lost.', { cause });
    }
  }

  return {
    description: root.href,
    read: async (path) => body(path, await request(path, {})),
    async readRange(path, start, end) {
      if (end <= start) return new Uint8Array(0);
      if (whole?.path === path) return (await whole.bytes).slice(start, end);
      // A browser that has the whole file in its cache may answer a range with too little.
      const response = await request(path, { headers: { range: `bytes=${start}-${end - 1}` }, cache: 'no-store' });
      if (response.status === RANGE_NOT_SATISFIABLE) return new Uint8Array(0);
      if (response.status === PARTIAL_CONTENT) return body(path, response);
      const held = { path, bytes: body(path, response) };
      whole = held;
      try {
        return (await held.bytes).slice(start, end);
      } catch (error) {
        // A fetch that failed must not be what the next attempt finds.
        if (whole === held) whole = null;
        throw error;
      }
    },
  };
}

/** A single-page site answers with its page where there is no file; a model repository has no pages. */
function isPage(response: Response): boolean {
  return response.headers.get('content-type')?.startsWith('text/html') ?? false;
}
