/** Rows of the Hub as tasks get them: from files at a commit where there are some, else from the dataset viewer. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { folderStorage } from '../../../src/checkpoint/folder-storage.ts';
import { findDataset } from '../../../src/data/hub-dataset.ts';
import { dataServices, hubIdOf, type DataAccess } from '../../../src/data/rows.ts';
import { PlaygroundError } from '../../../src/runtime/errors.ts';
import type { RowsRequest } from '../../../src/tasks/services.ts';
import { cutAfter, rangeOf } from '../checkpoint/hub-server.ts';
import { bytesOf, CONVERTED, MAIN, parquet, startDataHub, type DataServer } from './data-server.ts';

const REPOSITORY = 'org/sums';
const questions = (count: number, from = 0): string[] => Array.from({ length: count }, (_, k) => `What is ${k + from} + 1?`);
const answers = (count: number, from = 0): string[] => Array.from({ length: count }, (_, k) => `One more.\n#### ${k + from + 1}`);

let hub: DataServer;
let folder: string;
let waited: number[];

beforeEach(async () => {
  hub = await startDataHub(REPOSITORY);
  folder = mkdtempSync(join(tmpdir(), 'marft-data-'));
  waited = [];
});
afterEach(async () => {
  await hub.close();
  rmSync(folder, { recursive: true });
});

function access(changes: Partial<DataAccess> = {}): DataAccess {
  const wait = (milliseconds: number): Promise<void> => {
    waited.push(milliseconds);
    return Promise.resolve();
  };
  return { hub: { endpoint: hub.endpoint, wait }, viewer: hub.viewer, storage: folderStorage(folder), userFile: () => Promise.resolve(null), ...changes };
}

const request = (changes: Partial<RowsRequest> = {}): RowsRequest => ({ source: `hub:${REPOSITORY}`, columns: ['question', 'answer'], limit: 1000, ...changes });
const read = (changes: Partial<RowsRequest> = {}, to = access()): ReturnType<ReturnType<typeof dataServices>['rows']> => dataServices(to).rows(request(changes));

async function failure(work: Promise<unknown>): Promise<{ code: string; message: string; hint: string }> {
  const error: unknown = await work.then(
    () => null,
    (cause: unknown) => cause,
  );
  if (!(error instanceof PlaygroundError)) throw new Error('it did not fail as it should', { cause: error });
  expect(error.message).toMatch(/\.$/);
  expect(error.hint).toMatch(/\.$/);
  return error;
}

function converted(): void {
  hub.converted.set('main/train/0000.parquet', parquet({ question: questions(30), answer: answers(30), level: questions(30).map((_, k) => k) }, { rowGroupSize: 10 }));
  hub.converted.set('main/train/0001.parquet', parquet({ question: questions(20, 30), answer: answers(20, 30), level: questions(20) }));
  hub.converted.set('main/test/0000.parquet', parquet({ question: questions(5, 90), answer: answers(5, 90), level: questions(5) }));
  hub.converted.set('socratic/train/0000.parquet', parquet({ question: ['?'], answer: ['!'] }));
}

describe('rows of a data set of the Hub', () => {
  it('come from the Hub’s own Parquet files, through all of a split, of the usual subset', async () => {
    converted();
    const { rows, split, splits } = await read();
    expect(rows.length).toBe(50);
    expect(rows[41]).toEqual({ question: 'What is 41 + 1?', answer: 'One more.\n#### 42' });
    expect({ split, splits: [...splits].sort() }).toEqual({ split: 'train', splits: ['test', 'train'] });
    expect((await read({ split: 'test' })).rows.length).toBe(5);
    expect((await read({ config: 'socratic' })).rows).toEqual([{ question: '?', answer: '!' }]);
    expect((await read({ limit: 33 })).rows.length).toBe(33);
  });

  it('are pinned to a commit, with the licence, and then come without asking anybody', async () => {
    converted();
    await read();
    const found = await findDataset(hubIdOf(`hub:${REPOSITORY}`), access());
    expect({ commit: found.commit, licence: found.licence, via: found.via }).toEqual({ commit: CONVERTED, licence: 'mit', via: 'files' });
    hub.asked.length = 0;
    expect((await read({ source: `hub:${REPOSITORY}@${CONVERTED}` })).rows.length).toBe(50);
    expect(hub.asked).toEqual([]);
  });

  it('come from the cache where there is no network', async () => {
    converted();
    await read();
    await hub.close();
    expect((await read()).rows.length).toBe(50);
  });

  it('are read by byte ranges where nothing is kept: of one column, less than the file', async () => {
    const long = questions(3000).map((question) => question + ' '.padEnd(200, `${Math.PI * question.length}`));
    hub.converted.set('default/train/0000.parquet', parquet({ question: questions(3000), answer: answers(3000), solution: long }, { codec: 'UNCOMPRESSED', rowGroupSize: 300 }));
    const { rows } = await read({ limit: 100 }, access({ storage: null }));
    expect(rows.length).toBe(100);
    const ranges = hub.asked.filter((path) => path.startsWith('/cdn/')).map((path) => /(\d+)-(\d+)$/.exec(path));
    const fetched = ranges.reduce((sum, range) => sum + Number(range?.[2]) - Number(range?.[1]) + 1, 0);
    expect(fetched).toBeLessThan((hub.converted.get('default/train/0000.parquet')?.length ?? 0) / 4);
  });

  it('come from the repository’s own files where the Hub has converted none: by its card, or by the files’ names', async () => {
    hub.own.set('README.md', bytesOf('hello'));
    hub.own.set('dataset_infos.json', bytesOf('{}'));
    hub.own.set('deep.json', bytesOf(JSON.stringify([{ question: 'a', answer: 1 }, { question: 'b', answer: 2.5 }])));
    expect((await read()).rows).toEqual([{ question: 'a', answer: '1' }, { question: 'b', answer: '2.5' }]);
    hub.own.delete('deep.json');
    hub.own.set('data/my-train.jsonl', bytesOf('{"question":"c","answer":"3"}\n'));
    hub.own.set('data/my-test.jsonl', bytesOf('{"question":"d","answer":"4"}\n'));
    expect(await read()).toMatchObject({ rows: [{ question: 'c', answer: '3' }], splits: ['test', 'train'] });
    hub.card = { license: ['mit', 'cc0-1.0'], configs: [{ config_name: 'main', data_files: [{ split: 'learn', path: 'data/*train*' }, { split: 'exam', path: ['data/*-test.jsonl'] }] }] };
    expect(await read()).toMatchObject({ split: 'learn', splits: ['learn', 'exam'] });
    expect((await findDataset(hubIdOf(REPOSITORY), access())).licence).toBe('mit, cc0-1.0');
  });

  it('come from the dataset viewer, a hundred at a time, where no file can be read; a page once', async () => {
    hub.own.set('loader.py', bytesOf('print()'));
    hub.viewed.set('default/train', questions(250).map((question, k) => ({ question, answer: k, extra: { deep: [1, null] } })));
    const { rows, split } = await read();
    expect([rows.length, split, rows[249]?.answer]).toEqual([250, 'train', '249']);
    expect(hub.asked.filter((path) => path.startsWith('/viewer/rows'))).toEqual(
      [0, 100, 200].map((offset) => `/viewer/rows?dataset=org%2Fsums&config=default&split=train&offset=${offset}&length=100`),
    );
    hub.asked.length = 0;
    expect((await read({ limit: 120, columns: ['extra'] })).rows[0]?.['extra']).toBe('{"deep":[1,null]}');
    expect(hub.asked.filter((path) => path.startsWith('/viewer/rows'))).toEqual([]);
  });

  it('take the token to the Hub', async () => {
    converted();
    await read({}, access({ hub: { endpoint: hub.endpoint, token: 'hf_x' } }));
    expect(new Set(hub.tokens)).toEqual(new Set(['Bearer hf_x']));
  });
});

describe('what can go wrong is said in a sentence with a way out', () => {
  it('a missing column, subset or split names those that there are', async () => {
    converted();
    expect(await failure(read({ columns: ['question', 'result'] }))).toMatchObject({ code: 'data-column', message: 'train of org/sums has no column "result".', hint: 'Its columns are: question, answer, level.' });
    expect(await failure(read({ split: 'exam' }))).toMatchObject({ code: 'data-split', hint: 'It has: test, train.' });
    expect(await failure(read({ config: 'other' }))).toMatchObject({ code: 'data-split', hint: 'It has: main, socratic.' });
  });

  it('gated, private or unknown', async () => {
    hub.misbehave = (_, response) => {
      response.writeHead(403, { 'x-error-code': 'GatedRepo' }).end();
      return true;
    };
    const gated = await failure(read());
    expect(gated.message).toBe('datasets/org/sums is gated: the Hub gives it to accounts that accepted its terms.');
    expect(gated.hint).toContain(`${hub.endpoint}/datasets/org/sums, accept the data set's terms`);
    expect(await failure(read({}, access({ hub: { endpoint: hub.endpoint, token: 'hf_other' } })))).toMatchObject({ code: 'hub-access' });
    hub.misbehave = () => false;
    expect(await failure(read({ source: 'hub:org/nothing' }))).toMatchObject({ code: 'hub-access' });
    hub.misbehave = (_, response) => {
      response.writeHead(404).end();
      return true;
    };
    expect(await failure(read())).toMatchObject({ code: 'hub-missing', message: expect.stringContaining('There is no data set datasets/org/sums') as string });
  });

  it('no such revision, and no name of a data set', async () => {
    converted();
    expect(await failure(read({ source: 'hub:org/sums@v9' }))).toMatchObject({ code: 'hub-missing' });
    expect(await failure(read({ source: 'hub:../..' }))).toMatchObject({ code: 'hub-id', message: '"hub:../.." is no data set of the Hub.' });
  });

  it.each([429, 500, 503])('status %i is waited for, then told', async (status) => {
    hub.misbehave = (_, response) => {
      response.writeHead(status, { 'retry-after': '2' }).end();
      return true;
    };
    expect((await failure(read())).code).toBe('network');
    expect(waited).toEqual([2000, 2000, 2000, 2000]);
    // Only for a moment: nobody hears of it.
    let left = 2;
    converted();
    hub.misbehave = (_, response) => {
      if (left-- <= 0) return false;
      response.writeHead(status).end();
      return true;
    };
    expect((await read()).rows.length).toBe(50);
  });

  it('the viewer that is busy or slow is told too', async () => {
    hub.own.set('loader.py', bytesOf('print()'));
    hub.viewed.set('default/train', [{ question: 'a', answer: 'b' }]);
    hub.misbehave = (incoming, response) => {
      if (!incoming.url?.startsWith('/viewer/rows')) return false;
      response.writeHead(500, { 'x-error-code': 'ResponseNotReady' }).end('{"error":"The server is busier than usual and the response is not ready yet. Please retry later."}');
      return true;
    };
    expect((await failure(read())).code).toBe('network');
  });

  it('a cut connection is gone on with at the next byte, and told when it stays cut', async () => {
    converted();
    const content = hub.converted.get('main/train/0000.parquet') ?? new Uint8Array(0);
    let cuts = 1;
    hub.misbehave = (incoming, response) => {
      if (!incoming.url?.endsWith('/cdn/' + CONVERTED + '/main/train/0000.parquet') || cuts-- <= 0) return false;
      cutAfter(response, content, rangeOf(incoming), 100);
      return true;
    };
    expect((await read()).rows.length).toBe(50);
    expect(hub.asked).toContain(`/cdn/${CONVERTED}/main/train/0000.parquet 100-${content.length - 1}`);
    hub.misbehave = (incoming, response) => {
      if (!incoming.url?.startsWith('/cdn/')) return false;
      response.destroy();
      return true;
    };
    expect((await failure(read({ split: 'test' }))).code).toBe('network');
  });

  it('a broken Parquet file, and one that arrives damaged', async () => {
    hub.converted.set('default/train/0000.parquet', bytesOf('PAR1 no table PAR1'));
    expect(await failure(read())).toMatchObject({ code: 'data-broken', message: expect.stringContaining('0000.parquet is not a whole Parquet file: ') as string });
    converted();
    hub.converted.delete('default/train/0000.parquet');
    hub.misbehave = (incoming, response) => {
      if (!incoming.url?.startsWith('/cdn/')) return false;
      const size = hub.converted.get('main/train/0000.parquet')?.length ?? 0;
      response.writeHead(206, { 'content-range': `bytes 0-${size - 1}/${size}` }).end(new Uint8Array(size));
      return true;
    };
    expect((await failure(read())).code).toBe('checkpoint-broken');
  });

  it('nothing that can be read, and a server that is no Hub', async () => {
    hub.own.set('picture.png', bytesOf('x'));
    expect(await failure(read({ source: `hub:org/sums@${MAIN}` }))).toMatchObject({ code: 'data-unsupported' });
    hub.misbehave = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"hello":1}');
      return true;
    };
    expect((await failure(read())).code).toBe('hub-answer');
  });

  it('a file that the experiment names and that is not here, or is another one', async () => {
    expect(await failure(read({ source: 'file' }))).toMatchObject({ code: 'data-file-missing' });
    const file = { name: 'a.csv', bytes: 4, read: () => Promise.resolve(bytesOf('a,b\n')) };
    const other = access({ userFile: () => Promise.resolve({ file, sha256: '0'.repeat(64) }) });
    expect(await failure(read({ source: 'file', sha256: '1'.repeat(64) }, other))).toMatchObject({ code: 'data-file-other' });
    expect(await failure(read({ source: 'file' }, other))).toMatchObject({ code: 'data-column' });
  });
});
