import { describe, expect, it } from 'vitest';
import { fileOf, isolated, keptAhead, type FileList } from '../../../../src/app/offline/files.ts';

const SCOPE = 'https://example.org/marft/';
const FILES: FileList = { 'index.html': 'aa', 'assets/index-x1.js': null, 'assets/pyodide.asm-x.wasm': null, 'models/a/config.json': 'bb', 'ort/ort.wasm': 'cc' };

const meant = (url: string, mode = 'cors', method = 'GET'): string | null => fileOf({ url, method, mode }, SCOPE, FILES);

describe('a request', () => {
  it('means a file of the build, or the page itself, whatever its query says', () => {
    expect(meant(`${SCOPE}assets/index-x1.js`)).toBe('assets/index-x1.js');
    expect(meant(`${SCOPE}models/a/config.json`)).toBe('models/a/config.json');
    for (const page of ['', 'index.html', '?backend=wasm', 'index.html?code=1&state=2']) expect(meant(SCOPE + page, 'navigate')).toBe('index.html');
  });

  it.each([
    ['of another host', 'https://huggingface.co/marft/assets/index-x1.js', 'cors', 'GET'],
    ['outside the page’s folder', 'https://example.org/assets/index-x1.js', 'cors', 'GET'],
    ['for what is no file of the build', `${SCOPE}constructor`, 'cors', 'GET'],
    ['with a query', `${SCOPE}models/a/config.json?v=2`, 'cors', 'GET'],
    ['for another page', `${SCOPE}other.html`, 'navigate', 'GET'],
    ['that sends something', `${SCOPE}models/a/config.json`, 'cors', 'POST'],
    ['with a broken escape', `${SCOPE}%E0%A4%A`, 'cors', 'GET'],
  ])('%s is left alone', (_, url, mode, method) => {
    expect(meant(url, mode, method)).toBeNull();
  });
});

describe('the first visit', () => {
  it('keeps all but the large files that only some runs need', () => {
    expect(keptAhead(FILES)).toEqual(['index.html', 'assets/index-x1.js', 'models/a/config.json']);
  });
});

describe('an answer', () => {
  it('gets the headers that isolate a page, and keeps those that it has', async () => {
    const answer = isolated(new Response('x', { status: 206, headers: { 'Content-Type': 'text/plain', 'Cross-Origin-Embedder-Policy': 'credentialless' } }));
    expect(answer.status).toBe(206);
    expect(answer.headers.get('content-type')).toBe('text/plain');
    expect(answer.headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(answer.headers.get('cross-origin-embedder-policy')).toBe('credentialless');
    expect(await answer.text()).toBe('x');
  });

  it('that is an error of the network is passed on as it is', () => {
    const error = Response.error();
    expect(isolated(error)).toBe(error);
  });
});
