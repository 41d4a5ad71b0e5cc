import { readFile } from 'node:fs/promises';
import { mergeResults, parseResults } from '../../src/experiment/sweep-results.ts';
import { violations } from './axe.ts';
import { expect, test } from './playground.ts';

test('a sweep of two values and two seeds: paused, reloaded, resumed, done, compared', async ({ playground, page }) => {
  await playground.open();
  await page.getByRole('button', { name: 'Runs', exact: true }).click();
  await page.getByRole('button', { name: 'Sweeps', exact: true }).click();
  await expect(page.getByText('No sweeps yet.')).toBeVisible();

  await page.getByLabel('Start from').selectOption('micro-addition');
  await page.getByLabel('Name', { exact: true }).fill('rates');
  await page.getByLabel('Setting 1', { exact: true }).fill('algorithm.learningRat');
  await expect(page.getByTestId('sweep-refused')).toContainText('An experiment has no field algorithm.learningRat.');
  await expect(page.getByTestId('sweep-refused')).toContainText('algorithm.learningRate');
  await page.getByLabel('Setting 1', { exact: true }).fill('algorithm.learningRate');
  await page.getByLabel('Values 1').fill('0.001, 0.01');
  await page.getByLabel('Seeds', { exact: true }).fill('1, 2');
  await page.getByLabel('The same for all').fill('schedule.iterations=1');
  await expect(page.getByTestId('sweep-size')).toContainText('2 arms, 4 runs');
  await page.getByLabel('At the same time').selectOption('1');
  await page.getByRole('button', { name: 'Start the sweep' }).last().click();

  const sweep = page.getByTestId('sweep');
  await expect(sweep.getByTestId('job-running')).toHaveCount(1);
  // The last one first.
  await sweep.getByRole('button', { name: 'First: learningRate=0.01, seed 2' }).click();
  await expect(sweep.getByTestId('job-waiting').first()).toContainText('learningRate=0.01, seed 2');
  await expect(sweep).toContainText('1 of 4 runs');
  await sweep.getByRole('button', { name: 'Pause the sweep' }).click();
  await expect(sweep.getByTestId('sweep-state')).toHaveText(/Paused|Stopped half-way/);
  expect(await violations(page)).toEqual([]);

  await page.reload();
  await page.getByRole('button', { name: 'Runs', exact: true }).click();
  await page.getByRole('button', { name: 'Sweeps', exact: true }).click();
  await expect(sweep.getByTestId('sweep-state')).toHaveText('Stopped half-way');
  await sweep.getByRole('button', { name: 'Resume the sweep' }).click();
  await expect(sweep.getByTestId('sweep-state')).toHaveText('Done');
  await expect(sweep).toContainText('4 of 4 runs');

  const waiting = page.waitForEvent('download');
  await sweep.getByRole('button', { name: 'Results (sweep.json)' }).click();
  const document: unknown = JSON.parse(await readFile(await (await waiting).path(), 'utf8'));
  // As "merge" of the command line reads it.
  const merged = mergeResults([parseResults(document)]);
  expect(merged.arms.map(({ done, failed, missing }) => ({ done, failed, missing }))).toEqual([{ done: 2, failed: 0, missing: 0 }, { done: 2, failed: 0, missing: 0 }]);

  await sweep.getByRole('button', { name: 'Compare' }).click();
  await expect(page.getByTestId('verdicts')).toContainText(/2 pairs|not clear/);
  await page.getByRole('button', { name: 'All runs' }).click();
  await expect(page.getByTestId('run')).toHaveCount(4);
  await expect(page.getByTestId('run').first()).toContainText('rates: learningRate=');
});

test('a cancelled run does not run, and a sweep’s document is loaded and started', async ({ playground, page }) => {
  await playground.open();
  await page.getByRole('button', { name: 'Runs', exact: true }).click();
  await page.getByRole('button', { name: 'Sweeps', exact: true }).click();
  await page.getByLabel('At the same time').selectOption('1');
  const document = { version: 1, name: 'loaded', base: 'micro-addition', set: ['schedule.iterations=1'], arms: [{ name: 'a' }, { name: 'the same as a' }], seeds: [1, 2] };
  await page.getByLabel('Load a sweep document').setInputFiles({ name: 's.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(document)) });
  const sweep = page.getByTestId('sweep');
  await sweep.getByRole('button', { name: 'Cancel the same as a, seed 2' }).click();
  await expect(sweep.getByTestId('sweep-state')).toHaveText('Done, but for what was cancelled');
  await expect(sweep).toContainText('3 of 3 runs');
  await page.getByLabel('Load a sweep document').setInputFiles({ name: 's.json', mimeType: 'application/json', buffer: Buffer.from('{"version": 1, "name": "x", "base": "nothing-like-it"}') });
  await expect(page.getByTestId('runs-trouble')).toContainText('nothing-like-it');
  await page.getByRole('button', { name: 'Remove the sweep loaded' }).click();
  await expect(page.getByText('No sweeps yet.')).toBeVisible();
});
