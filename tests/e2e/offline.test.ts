/** After the first visit the page opens and trains without a network: from a plain host, under a sub-path, with nothing but files. */
import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import path from 'node:path';
import { expect, test } from './playground.ts';

const FOLDER = process.env['E2E_FOLDER'] ?? path.join(import.meta.dirname, '../../dist');
const PORT = Number(process.env['E2E_PORT'] ?? 41_730) + 7;
const SUB_PATH = '/some/where/';

const TYPES: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript', '.css': 'text/css', '.json': 'application/json', '.svg': 'image/svg+xml', '.wasm': 'application/wasm' };

/** A host that sends no header but the content's type. */
class PlainHost {
  #server: Server | null = null;
  /** Texts that it has instead of the build's. */
  readonly instead = new Map<string, string>();

  async open(): Promise<void> {
    const server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? '/', 'http://host');
      const name = pathname === SUB_PATH ? 'index.html' : pathname.slice(SUB_PATH.length);
      const file = path.join(FOLDER, name);
      const type = TYPES[path.extname(name)] ?? 'application/octet-stream';
      const text = this.instead.get(name);
      if (text !== undefined) response.writeHead(200, { 'Content-Type': type }).end(text);
      else if (!pathname.startsWith(SUB_PATH) || !existsSync(file) || !statSync(file).isFile()) response.writeHead(404).end();
      else createReadStream(file).pipe(response.writeHead(200, { 'Content-Type': type }));
    });
    await new Promise<void>((resolve) => server.listen(PORT, 'localhost', resolve));
    this.#server = server;
  }

  async close(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server === null) return;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

test.use({ serviceWorkers: 'allow', baseURL: `http://localhost:${PORT}${SUB_PATH}`, expectedErrors: /Failed to load resource|failed request/ });

const host = new PlainHost();
test.beforeEach(() => host.open());
test.afterEach(() => host.close());

test('after the first visit the page opens, and trains, without a network', async ({ playground, page }) => {
  await playground.open();
  await expect(page.getByRole('button', { name: /Backend:/ })).toContainText('WASM');
  // All that will be needed is being fetched behind the reader's back, ONNX Runtime last.
  await expect
    .poll(() => page.evaluate(async (runtime) => (await caches.match(new URL(runtime, document.baseURI))) !== undefined, 'ort/ort-wasm-simd-threaded.wasm'), { timeout: 90_000 })
    .toBe(true);
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));

  await host.close();
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('MARFT Playground');
  await expect(page.getByText('Recorded run')).toBeVisible();
  // The host sends no headers that isolate a page; what is kept has them.
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
  await playground.preset.selectOption('micro-addition');
  await playground.train.click();
  await expect(playground.status).toHaveText('Finished');
  // Parts of the page that had not been opened while there was a network.
  await page.getByRole('button', { name: 'Lessons' }).click();
  await expect(page.getByRole('heading', { name: 'A team of language models' })).toBeVisible();
  await page.getByRole('button', { name: 'Runs', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Runs', exact: true })).toBeVisible();
});

test('with a network the page is always as new as the host has it', async ({ playground, page }) => {
  await playground.open();
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  await page.reload();
  expect(await page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
  const html = await page.evaluate(async () => (await fetch('./index.html')).text());
  host.instead.set('index.html', html.replace('<title>MARFT Playground</title>', '<title>A newer page</title>'));
  await page.reload();
  await expect(page).toHaveTitle('A newer page');
  // Without one, all files are of the build that was kept as a whole.
  await host.close();
  await page.reload();
  await expect(page).toHaveTitle('MARFT Playground');
});
