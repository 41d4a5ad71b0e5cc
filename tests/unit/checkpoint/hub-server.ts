/** A Hub in miniature: one repository of real format on a local port, with ways to misbehave and a log of what was asked. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

export const COMMIT = '0123456789abcdef0123456789abcdef01234567';

export type Answer = (request: IncomingMessage, response: ServerResponse) => boolean;

export interface HubServer {
  endpoint: string;
  files: Map<string, Uint8Array>;
  /** `/path` of each request, with ` start-end` when a range was asked for. */
  asked: string[];
  /** Authorization headers in the same order. */
  tokens: (string | undefined)[];
  /** Called first; true when it has answered. */
  misbehave: Answer;
  close(): Promise<void>;
}

/** Files of a folder, not of those below it. */
export function folderFiles(folder: string): Map<string, Uint8Array> {
  const names = readdirSync(folder).filter((name) => statSync(join(folder, name)).isFile());
  return new Map(names.map((name) => [name, new Uint8Array(readFileSync(join(folder, name)))]));
}

/** `*.safetensors` are in large-file storage: with a hash, and behind a redirect. */
export async function startHub(repository: string, files: Map<string, Uint8Array>): Promise<HubServer> {
  const hub: HubServer = { endpoint: '', files, asked: [], tokens: [], misbehave: () => false, close: () => Promise.resolve() };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://hub');
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
    hub.asked.push(url.pathname + (range ? ` ${range[1]}-${range[2]}` : ''));
    hub.tokens.push(request.headers.authorization);
    if (hub.misbehave(request, response)) return;
    const api = /^\/api\/models\/(.+)\/revision\/([^/]+)$/.exec(url.pathname);
    if (api) return answerApi(response, api[1] === repository, decodeURIComponent(api[2] ?? ''));
    const file = new RegExp(`^/(?:${repository}/resolve|cdn)/${COMMIT}/(.+)$`).exec(url.pathname)?.[1] ?? '';
    const content = hub.files.get(file);
    if (!content) return void response.writeHead(404, { 'x-error-code': 'EntryNotFound' }).end();
    if (file.endsWith('.safetensors') && !url.pathname.startsWith('/cdn/')) {
      return void response.writeHead(302, { location: `/cdn/${COMMIT}/${file}` }).end();
    }
    sendContent(response, content, range);
  });

  function answerApi(response: ServerResponse, known: boolean, revision: string): void {
    if (!known) return void response.writeHead(401, { 'x-error-code': 'RepoNotFound' }).end('{}');
    if (!['main', 'refs/pr/1', COMMIT].includes(revision)) return void response.writeHead(404, { 'x-error-code': 'RevisionNotFound' }).end('{}');
    const siblings = [...hub.files].map(([rfilename, content]) => ({
      rfilename,
      size: content.length,
      ...(rfilename.endsWith('.safetensors') ? { lfs: { size: content.length, sha256: createHash('sha256').update(content).digest('hex') } } : {}),
    }));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ id: repository, sha: COMMIT, siblings }));
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  hub.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  hub.close = () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return hub;
}

export function sendContent(response: ServerResponse, content: Uint8Array, range: RegExpExecArray | null): void {
  if (!range) return void response.writeHead(200, { 'content-length': content.length }).end(content);
  const [start, end] = [Number(range[1]), Math.min(Number(range[2]) + 1, content.length)];
  response.writeHead(206, { 'content-range': `bytes ${start}-${end - 1}/${content.length}`, 'content-length': end - start }).end(content.subarray(start, end));
}

/** Sends the first `count` bytes of what was asked for and cuts the connection. */
export function cutAfter(response: ServerResponse, content: Uint8Array, range: RegExpExecArray | null, count: number): void {
  const [start, end] = range ? [Number(range[1]), Number(range[2]) + 1] : [0, content.length];
  response.writeHead(range ? 206 : 200, { 'content-length': end - start, ...(range ? { 'content-range': `bytes ${start}-${end - 1}/${content.length}` } : {}) });
  response.write(content.subarray(start, Math.min(start + count, end)), () => response.destroy());
}

export function rangeOf(request: IncomingMessage): RegExpExecArray | null {
  return /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
}
