/** Builds a page of these tests into a temporary folder and serves it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build, preview } from 'vite';

const ROOT = path.join(import.meta.dirname, '../..');

export interface HarnessServer {
  /** Of the page. */
  address: string;
  close(): Promise<void>;
}

export async function serveHarness(port: number, page = 'harness'): Promise<HarnessServer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'marft-harness-'));
  const input = path.join(ROOT, `tests/browser/${page}.html`);
  await build({ root: ROOT, logLevel: 'error', build: { outDir: folder, emptyOutDir: true, rolldownOptions: { input } } });
  const server = await preview({ root: ROOT, logLevel: 'error', build: { outDir: folder }, preview: { port } });
  return {
    address: `${server.resolvedUrls?.local[0] ?? ''}tests/browser/${page}.html`,
    async close() {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
