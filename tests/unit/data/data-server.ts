/** The Hub's data sets and the dataset viewer in miniature: answers of the real format on a local port, with ways to misbehave. */
import { createHash } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { rangeOf, sendContent, type Answer } from '../checkpoint/hub-server.ts';

export const MAIN = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
export const CONVERTED = 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb';

export interface DataServer {
  /** Of the Hub; the viewer is beneath it. */
  endpoint: string;
  viewer: string;
  /** Files of the data set itself, and of its conversion to Parquet; the latter's branch is not there where it has none. */
  own: Map<string, Uint8Array>;
  converted: Map<string, Uint8Array>;
  card: object;
  /** What the viewer has: rows by `config/split`. */
  viewed: Map<string, Record<string, unknown>[]>;
  asked: string[];
  tokens: (string | undefined)[];
  misbehave: Answer;
  close(): Promise<void>;
}

export function parquet(columns: Record<string, unknown[]>, options: { rowGroupSize?: number; codec?: 'SNAPPY' | 'UNCOMPRESSED' } = {}): Uint8Array {
  return new Uint8Array(parquetWriteBuffer({ ...options, columnData: Object.entries(columns).map(([name, data]) => ({ name, data: data as string[] })) }));
}

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export async function startDataHub(repository: string): Promise<DataServer> {
  const hub: DataServer = {
    endpoint: '',
    viewer: '',
    own: new Map(),
    converted: new Map(),
    card: { license: 'mit' },
    viewed: new Map(),
    asked: [],
    tokens: [],
    misbehave: () => false,
    close: () => Promise.resolve(),
  };
  const json = (response: ServerResponse, status: number, value: unknown, code?: string): void =>
    void response.writeHead(status, { 'content-type': 'application/json', ...(code === undefined ? {} : { 'x-error-code': code }) }).end(JSON.stringify(value));

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://hub');
    const range = rangeOf(request);
    hub.asked.push(url.pathname + (range ? ` ${range[1]}-${range[2]}` : '') + (url.search && url.pathname.startsWith('/viewer') ? url.search : ''));
    hub.tokens.push(request.headers.authorization);
    if (hub.misbehave(request, response)) return;
    const api = /^\/api\/datasets\/(.+)\/revision\/([^/]+)$/.exec(url.pathname);
    if (api) return answerApi(response, api[1] === repository, decodeURIComponent(api[2] ?? ''));
    const viewer = /^\/viewer\/(splits|rows)$/.exec(url.pathname);
    if (viewer) return answerViewer(response, viewer[1] ?? '', url.searchParams);
    const [, commit = '', file = ''] = new RegExp(`^/(?:datasets/${repository}/resolve|cdn)/([0-9a-f]{40})/(.+)$`).exec(url.pathname) ?? [];
    const content = (commit === CONVERTED ? hub.converted : commit === MAIN ? hub.own : new Map<string, Uint8Array>()).get(file);
    if (!content) return void response.writeHead(404, { 'x-error-code': 'EntryNotFound' }).end();
    if (file.endsWith('.parquet') && !url.pathname.startsWith('/cdn/')) return void response.writeHead(302, { location: `/cdn/${commit}/${file}` }).end();
    sendContent(response, content, range);
  });

  function answerApi(response: ServerResponse, known: boolean, revision: string): void {
    if (!known) return json(response, 401, { error: 'Repository not found' }, 'RepoNotFound');
    const branch = ['refs/convert/parquet', CONVERTED].includes(revision) ? hub.converted : ['main', MAIN].includes(revision) ? hub.own : null;
    if (branch === null || (branch === hub.converted && branch.size === 0)) return json(response, 404, { error: 'Invalid rev id' }, 'RevisionNotFound');
    const siblings = [...branch].map(([rfilename, content]) => ({
      rfilename,
      size: content.length,
      ...(rfilename.endsWith('.parquet') ? { lfs: { sha256: createHash('sha256').update(content).digest('hex'), size: content.length, pointerSize: 132 } } : {}),
    }));
    json(response, 200, {
      id: repository,
      sha: branch === hub.own ? MAIN : CONVERTED,
      private: false,
      gated: false,
      tags: ['task_categories:text2text-generation', 'license:mit'],
      ...(branch === hub.own ? { cardData: hub.card } : {}),
      siblings,
    });
  }

  function answerViewer(response: ServerResponse, what: string, query: URLSearchParams): void {
    if (query.get('dataset') !== repository) return json(response, 404, { error: 'The dataset does not exist, or is not accessible.' }, 'ExternalUnauthenticatedError');
    if (what === 'splits') {
      const splits = [...hub.viewed.keys()].map((key) => ({ dataset: repository, config: key.split('/')[0], split: key.split('/')[1] }));
      return json(response, 200, { splits, pending: [], failed: [] });
    }
    const rows = hub.viewed.get(`${query.get('config')}/${query.get('split')}`);
    const [offset, length] = [Number(query.get('offset')), Number(query.get('length'))];
    if (!rows) return json(response, 404, { error: 'The response is not found.' }, 'ResponseNotFound');
    if (length > 100) return json(response, 422, { error: "Parameter 'length' must not be greater than 100" }, 'InvalidParameter');
    json(response, 200, {
      features: Object.keys(rows[0] ?? {}).map((name, feature_idx) => ({ feature_idx, name, type: { dtype: 'string', _type: 'Value' } })),
      rows: rows.slice(offset, offset + length).map((row, k) => ({ row_idx: offset + k, row, truncated_cells: [] })),
      num_rows_total: rows.length,
      num_rows_per_page: 100,
      partial: false,
    });
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  hub.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  hub.viewer = `${hub.endpoint}/viewer`;
  hub.close = () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return hub;
}
