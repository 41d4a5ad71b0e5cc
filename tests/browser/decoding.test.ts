/** Decoding on a (software) device: one step a run, the cache written in place, batches that shrink. */
import { expect, test } from '@playwright/test';
import { serveHarness, type HarnessServer } from './harness-server.ts';
import type { DecodingReport } from './harness.ts';

/** Nats by which log-probs may differ between backends, and on WebGPU between sizes of a batch. */
const TOLERANCE = 1e-3;

let server: HarnessServer;

test.beforeAll(async () => {
  server = await serveHarness(41_834);
});

test.afterAll(() => server.close());

test('every row is the same on WebGPU as on WASM, shrunk or not, is heard as it comes, and leaves nothing behind', async ({ page }) => {
  test.setTimeout(600_000);
  const decode = async (kind: 'wasm' | 'webgpu', shrink: boolean): Promise<DecodingReport> => {
    await page.goto(server.address);
    return page.evaluate(([backend, whether]) => window.harness.decode(backend, whether), [kind, shrink] as const);
  };
  const whole = await decode('wasm', false);
  const reports = { 'WASM, shrinking': await decode('wasm', true), WebGPU: await decode('webgpu', false), 'WebGPU, shrinking': await decode('webgpu', true) };
  const lengths = whole.ids.map(({ length }) => length);
  expect(Math.max(...lengths)).toBe(14);
  expect(lengths.filter((length) => length < 8).length).toBeGreaterThanOrEqual(3);
  for (const [name, report] of [['WASM', whole] as const, ...Object.entries(reports)]) {
    expect(report.ids, name).toEqual(whole.ids);
    expect(report.heard, name).toEqual(report.ids);
    expect(report.tensors, name).toEqual([report.tensors[0], report.tensors[0], report.tensors[0]]);
    expect(report.stopped, name).toBe('generation-stopped');
    expect(report.lost, name).toBe(name.startsWith('WebGPU') ? 'device-lost' : '');
    report.logprobs.forEach((row, k) => row.forEach((logprob, t) => expect(Math.abs(logprob - (whole.logprobs[k]?.[t] ?? NaN)), name).toBeLessThan(TOLERANCE)));
  }
  expect(reports['WASM, shrinking'].logprobs).toEqual(whole.logprobs);
});
