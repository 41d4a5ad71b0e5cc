/** Isolation headers let WASM have threads. Many hosts cannot send them, and nothing may depend on them. */
import type { BrowserContext } from '@playwright/test';
import { presetByName } from '../../src/experiment/presets.ts';
import { serveHarness } from '../browser/harness-server.ts';
import type { ThreadsReport } from '../browser/harness.ts';
import { expect, test } from './playground.ts';

/** As from a host that sends no header but the content's type. */
async function withoutHeaders(context: BrowserContext): Promise<void> {
  await context.route('**/*', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, headers: { 'content-type': response.headers()['content-type'] ?? '' } });
  });
}

for (const isolated of [true, false]) {
  test(`a team trains on a page ${isolated ? 'with' : 'without'} isolation headers`, async ({ playground, page }) => {
    if (!isolated) await withoutHeaders(page.context());
    await playground.open();
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(isolated);
    await playground.preset.selectOption('micro-addition');
    await playground.train.click();
    await expect(playground.status).toHaveText('Finished');
    await expect(page.getByRole('button', { name: /Backend:/ })).toContainText('WASM, 1 thread');
  });
}

test('a large model gets threads with the headers, one thread without, and the same numbers', async ({ page }) => {
  const server = await serveHarness(41_834);
  const iterate = async (): Promise<ThreadsReport> => {
    await page.goto(server.address);
    return page.evaluate((experiment) => window.harness.onThreads(experiment), presetByName('micro-addition'));
  };
  try {
    const many = await iterate();
    await withoutHeaders(page.context());
    const one = await iterate();
    expect(many).toMatchObject({ isolated: true, threads: await page.evaluate(() => Math.min(8, navigator.hardwareConcurrency)) });
    expect(many.label).toBe(`WASM, ${many.threads} threads`);
    expect(one).toMatchObject({ isolated: false, threads: 1, label: 'WASM, 1 thread' });
    for (const [name, value] of Object.entries(one.metrics).filter(([metric]) => !/^time\/|tok_per_s$/.test(metric))) {
      expect(many.metrics[name], name).toBeCloseTo(value, 3);
    }
  } finally {
    await server.close();
  }
});
