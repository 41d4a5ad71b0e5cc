/** Files below one address, fetched whole or by byte range; nothing else is ever asked. */
import { PlaygroundError } from '../runtime/errors.ts';
import type { FileSource } from './source.ts';

const PARTIAL_CONTENT = 206;
const NOT_FOUND = 404;

/** `base` is the folder's address and ends in `/`. */
export function openHttp(base: string): FileSource {
  const root = new URL(base);
  /** Whole files of servers that ignore ranges, so that each is fetched once. */
  const whole = new Map<string, Promise<Uint8Array>>();

  const address = (path: string): URL => {
    const url = new URL(path, root);
    if (!url.href.startsWith(root.href)) throw new RangeError(`${path} is outside ${root.href}`);
    return url;
  };

  async function request(path: string, headers: Record<string, string>): Promise<Response> {
    let response: Response;
    try {
      response = await fetch(address(path), { headers });
    } catch (cause) {
      throw new PlaygroundError('network', `${path} could not be fetched: the connection failed.`, 'Check the network and try again; nothing was lost.', { cause });
    }
    if (response.status === NOT_FOUND) {
      throw new PlaygroundError('file-missing', `There is no ${path} at ${root.href}.`, 'Reload the page; if it stays away, the site was published without its models.');
    }
    if (!response.ok) {
      throw new PlaygroundError('network', `${path} could not be fetched: the server answered ${response.status}.`, 'Try again in a moment.');
    }
    return response;
  }

  async function read(path: string): Promise<Uint8Array> {
    const response = await request(path, {});
    try {
      return new Uint8Array(await response.arrayBuffer());
    } catch (cause) {
      throw new PlaygroundError('network', `The connection was cut while ${path} was fetched.`, 'Check the network and try again; nothing was lost.', { cause });
    }
  }

  return {
    description: root.href,
    read,
    async readRange(path, start, end) {
      const held = whole.get(path);
      if (held) return (await held).slice(start, end);
      const response = await request(path, { range: `bytes=${start}-${end - 1}` });
      if (response.status === PARTIAL_CONTENT) return new Uint8Array(await response.arrayBuffer());
      const all = response.arrayBuffer().then((buffer) => new Uint8Array(buffer));
      whole.set(path, all);
      return (await all).slice(start, end);
    },
  };
}
