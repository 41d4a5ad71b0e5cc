import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFolder } from '../../../src/checkpoint/folder-source.ts';
import { openHttp } from '../../../src/checkpoint/http-source.ts';
import { refusal } from './files.ts';

const content = Uint8Array.from({ length: 100 }, (_, i) => i);
const outside = ['../x', 'a/../../x', '/etc/hosts', 'https://elsewhere.example/x', '//elsewhere.example/x', 'a\\..\\x', 'a%2f..%2fx', '', 'x?y', '.'];

describe('a folder', () => {
  let root = '';

  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'marft-folder-'));
    mkdirSync(join(root, 'sub'));
    writeFileSync(join(root, 'sub', 'file.bin'), content);
  });

  afterAll(() => {
    rmSync(root, { recursive: true });
  });

  it('gives whole files and ranges, short where the file ends', async () => {
    const source = openFolder(root);
    expect(source.description).toBe(root);
    expect(await source.read('sub/file.bin')).toEqual(content);
    expect(await source.readRange('sub/file.bin', 10, 20)).toEqual(content.subarray(10, 20));
    expect(await source.readRange('sub/file.bin', 95, 200)).toEqual(content.subarray(95));
  });

  it('says what is missing and what cannot be read', async () => {
    const source = openFolder(root);
    expect(await refusal(() => source.read('none'))).toBe('file-missing');
    expect(await refusal(() => source.readRange('sub/file.bin/none', 0, 1))).toBe('file-missing');
    expect(await refusal(() => source.read('sub'))).toBe('file-unreadable');
  });

  it.each(outside)('does not lead to "%s"', async (path) => {
    await expect(openFolder(root).read(path)).rejects.toThrow(RangeError);
    await expect(openFolder(root).readRange(path, 0, 1)).rejects.toThrow(RangeError);
  });
});

describe('an address', () => {
  const asked: string[] = [];
  let server: Server;
  let base = '';

  /** Folders of the server: what each of its kinds of file answers. */
  const answers: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
    'ranges.bin': (request, response) => {
      const [, start, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
      if (start === undefined || last === undefined) response.end(content);
      else if (Number(start) >= content.length) response.writeHead(416).end();
      else response.writeHead(206).end(content.subarray(Number(start), Number(last) + 1));
    },
    'whole.bin': (_, response) => response.end(content),
    'flaky.bin': (_, response) => {
      // The first answer is cut off.
      if (asked.filter((url) => url.endsWith('flaky.bin')).length > 1) response.end(content);
      else response.writeHead(200, { 'content-length': content.length }).write(content.subarray(0, 10), () => response.destroy());
    },
    'cut.bin': (request, response) =>
      response.writeHead(request.headers.range ? 206 : 200, { 'content-length': 50 }).write(content.subarray(0, 10), () => response.destroy()),
    'page.bin': (_, response) => response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<p>'),
    'broken.bin': (_, response) => response.writeHead(500).end(),
    'moved.bin': (_, response) => response.writeHead(302, { location: '/elsewhere' }).end(),
  };

  beforeAll(async () => {
    server = createServer((request, response) => {
      asked.push(request.url ?? '');
      const answer = answers[request.url?.replace('/models/tiny/', '') ?? ''];
      if (answer) answer(request, response);
      else response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/models/tiny/`;
  });

  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });

  it('gives whole files and ranges, short where the file ends', async () => {
    const source = openHttp(base);
    expect(source.description).toBe(base);
    expect(await source.read('ranges.bin')).toEqual(content);
    expect(await source.readRange('ranges.bin', 10, 20)).toEqual(content.subarray(10, 20));
    expect(await source.readRange('ranges.bin', 95, 200)).toEqual(content.subarray(95));
    expect(await source.readRange('ranges.bin', 200, 210)).toEqual(new Uint8Array(0));
    expect(await source.readRange('ranges.bin', 5, 5)).toEqual(new Uint8Array(0));
  });

  it('that ignores ranges is asked once for the whole file', async () => {
    const source = openHttp(base);
    asked.length = 0;
    expect(await source.readRange('whole.bin', 10, 20)).toEqual(content.subarray(10, 20));
    expect(await source.readRange('whole.bin', 90, 100)).toEqual(content.subarray(90));
    expect(asked).toEqual(['/models/tiny/whole.bin']);
  });

  it('that cuts the connection can be tried again', async () => {
    const source = openHttp(base);
    expect(await refusal(() => source.readRange('flaky.bin', 0, 50))).toBe('network');
    expect(await source.readRange('flaky.bin', 0, 50)).toEqual(content.subarray(0, 50));
  });

  it('that cuts the connection is never taken for a short file', async () => {
    expect(await refusal(() => openHttp(base).read('cut.bin'))).toBe('network');
    expect(await refusal(() => openHttp(base).readRange('cut.bin', 0, 50))).toBe('network');
  });

  it('says what is missing, a page in a file\'s place included', async () => {
    const source = openHttp(base);
    expect(await refusal(() => source.read('none.json'))).toBe('file-missing');
    expect(await refusal(() => source.readRange('page.bin', 0, 8))).toBe('file-missing');
  });

  it('says when the server fails, sends elsewhere or is not there', async () => {
    expect(await refusal(() => openHttp(base).read('broken.bin'))).toBe('network');
    asked.length = 0;
    expect(await refusal(() => openHttp(base).read('moved.bin'))).toBe('network');
    expect(asked).toEqual(['/models/tiny/moved.bin']);
    // Port 1 is nobody's.
    expect(await refusal(() => openHttp('http://127.0.0.1:1/models/').read('config.json'))).toBe('network');
  });

  it.each(outside)('does not lead to "%s"', async (path) => {
    asked.length = 0;
    await expect(openHttp(base).read(path)).rejects.toThrow(RangeError);
    await expect(openHttp(base).readRange(path, 0, 1)).rejects.toThrow(RangeError);
    expect(asked).toEqual([]);
  });

  it('must be a folder\'s', () => {
    expect(() => openHttp('http://127.0.0.1/models')).toThrow(RangeError);
  });
});
