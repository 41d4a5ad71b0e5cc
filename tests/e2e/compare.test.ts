import { readFile, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import type { Page } from '@playwright/test';
import { parseSweep } from '../../src/experiment/sweep.ts';
import { resultsOf, summarize, type RunOutcome } from '../../src/experiment/sweep-results.ts';
import { violations } from './axe.ts';
import { expect, test, sticksOut } from './playground.ts';

const SMALLEST = 'micro-addition';

async function saved(page: Page, button: string): Promise<Buffer> {
  const waiting = page.waitForEvent('download');
  await page.getByRole('group', { name: 'Export the comparison' }).getByRole('button', { name: button }).click();
  return readFile(await (await waiting).path());
}

/** A sweep that ran elsewhere, with a clear winner and a collapsed run. */
function sweepJson(): string {
  const sweep = parseSweep({ version: 1, name: 'elsewhere', base: SMALLEST, arms: [{ name: 'slow' }, { name: '<b>fast</b>', set: ['algorithm.learningRate=0.01'] }], seeds: [1, 2, 3] });
  const run = (arm: string, seed: number, rewards: number[], learningRate: number): RunOutcome => {
    const sampled = rewards.at(-1) ?? 0;
    return { status: 'done', arm, seed, learningRate, rewards, summary: summarize(rewards, { sampled, greedy: sampled, baseSampled: 0.2, baseGreedy: 0.2 }) };
  };
  const slow = [1, 2].map((seed) => run('slow', seed, [0.2, 0.3, 0.3 + seed / 100], 0.003));
  const fast = [1, 2, 3].map((seed) => run('<b>fast</b>', seed, [0.2, 0.6, 0.9 + seed / 100], 0.01));
  return JSON.stringify(resultsOf(sweep, [], [...slow, run('slow', 3, [0.3, 0.1, 0.05], 0.003), ...fast]));
}

test('two runs are compared, and the report opens from disk without asking anybody for anything', async ({ playground, page, browser }, info) => {
  await playground.open();
  await playground.preset.selectOption(SMALLEST);
  for (const seed of [1, 2]) {
    await playground.set(playground.seed, seed);
    await playground.startOver();
    await playground.train.click();
    await expect(playground.status).toHaveText('Finished');
  }
  await page.reload();
  await page.getByRole('button', { name: 'Runs', exact: true }).click();
  await expect(page.getByTestId('run')).toHaveCount(2);
  await page.getByRole('button', { name: 'Choose all 2' }).click();
  await page.getByRole('button', { name: 'Compare 2' }).click();
  await expect(page.getByTestId('curves')).toContainText('2 seeds');
  await expect(page.getByText('One group: its runs differ in nothing but their seed.')).toBeVisible();
  await page.getByLabel('Every seed’s own curve').check();
  // Two seeds' own lines and their mean.
  await expect(page.getByTestId('curves').locator('.drawing path[fill="none"]')).toHaveCount(3);

  const file = info.outputPath('report.html');
  await writeFile(file, await saved(page, 'Report (HTML)'));
  const offline = await browser.newContext({ offline: true });
  const report = await offline.newPage();
  const requests: string[] = [];
  const complaints: string[] = [];
  report.on('request', (request) => requests.push(request.url()));
  report.on('console', (message) => complaints.push(message.text()));
  await report.goto(pathToFileURL(file).href);
  await expect(report.getByRole('heading', { level: 1 })).toHaveText('Comparison of 1 group of runs');
  await expect(report.locator('svg').first()).toBeVisible();
  expect(requests).toEqual([pathToFileURL(file).href]);
  expect(complaints).toEqual([]);
  expect(await report.locator('script').count()).toBe(0);
  expect(await violations(report)).toEqual([]);
  await offline.close();
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`the results of a sweep from elsewhere: who is better and how sure, ${colorScheme}`, async ({ playground, page }) => {
    await page.emulateMedia({ colorScheme });
    await playground.open();
    await page.getByRole('button', { name: 'Runs', exact: true }).click();
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await page.getByLabel('Load a sweep.json').setInputFiles({ name: 'sweep.json', mimeType: 'application/json', buffer: Buffer.from(sweepJson()) });
    await expect(page.getByTestId('verdicts')).toContainText('“<b>fast</b>” is better than “slow” with a probability of 100 %, judged by 3 pairs');
    await expect(page.getByRole('region', { name: 'Results by group' })).toContainText('3 seeds, 1 collapsed');
    await expect(page.getByRole('region', { name: 'Settings that differ' })).toContainText('algorithm.learningRate');
    expect(await violations(page)).toEqual([]);
    await page.getByLabel('Judged by').selectOption('auc');
    await page.getByLabel('Compared with').selectOption('1');
    await expect(page.getByTestId('verdicts')).toContainText('is better than “slow”');

    expect((await saved(page, 'Table (CSV)')).toString()).toContain('<b>fast</b>,3,0,0,0,0.92');
    expect((await saved(page, 'Curves (CSV)')).toString().trim().split('\r\n')).toHaveLength(1 + 6 * 3);
    expect(JSON.parse((await saved(page, 'JSON')).toString())).toHaveProperty('result.groups.1.label', '<b>fast</b>');
    expect((await saved(page, 'SVG')).toString()).toContain('&lt;b&gt;fast&lt;/b&gt;');
    expect((await saved(page, 'PNG')).subarray(1, 4).toString()).toBe('PNG');
    const html = (await saved(page, 'Report (HTML)')).toString();
    expect(html).not.toContain('<b>fast');
    expect(html).toContain('&lt;b&gt;fast&lt;/b&gt;');

    await page.setViewportSize({ width: 390, height: 900 });
    expect(await sticksOut(page)).toEqual([]);
    await page.getByLabel('Load a sweep.json').setInputFiles({ name: 'sweep.json', mimeType: 'application/json', buffer: Buffer.from('{"version": 1}') });
    await expect(page.getByTestId('runs-trouble')).toContainText('sweep is missing');
  });
}
