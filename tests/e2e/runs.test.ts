import { readFile } from 'node:fs/promises';
import type { Locator, Page } from '@playwright/test';
import { violations } from './axe.ts';
import { expect, test, type PlaygroundPage, sticksOut } from './playground.ts';

const SMALLEST = 'micro-addition';

/** A run of the smallest preset, one iteration long. */
async function trainOne(playground: PlaygroundPage, seed: number): Promise<void> {
  await playground.preset.selectOption(SMALLEST);
  await playground.set(playground.seed, seed);
  await playground.startOver();
  await playground.oneIteration.click();
  await expect(playground.iteration).toHaveText('1');
  await expect(playground.status).toContainText('Paused');
}

async function openRuns(page: Page): Promise<Locator> {
  await page.getByRole('navigation', { name: 'Parts of the page' }).getByRole('button', { name: 'Runs' }).click();
  await expect(page.getByRole('heading', { name: 'Runs', exact: true })).toBeVisible();
  return page.getByTestId('run');
}

test('before the first run the page says what will stand there', async ({ playground, page }) => {
  await playground.open();
  await openRuns(page);
  await expect(page.getByText('No runs yet.')).toBeVisible();
  await page.getByRole('button', { name: 'Go and train one' }).click();
  await expect(playground.train).toBeVisible();
});

test('every run is kept: found again after a reload, starred, tagged, searched, opened, rolled back, exported and imported', async ({ playground, page }) => {
  await playground.open();
  await trainOne(playground, 1);
  await trainOne(playground, 2);
  await playground.oneIteration.click();
  await expect(playground.iteration).toHaveText('2');
  await expect(playground.status).toHaveText('Finished');
  await page.reload();

  const rows = await openRuns(page);
  await expect(rows).toHaveCount(2);
  const [newer, older] = [rows.nth(0), rows.nth(1)];
  await expect(newer).toContainText('Iteration 2 of 2');
  await expect(newer).toContainText(/seed 1 → 2/);
  await expect(older).toContainText('The first run.');
  const name = await older.getByRole('heading').innerText();
  expect(name).toMatch(/^[a-z]+ [a-z]+$/);

  await older.getByRole('button', { name: /^Star/ }).click();
  await expect(older.getByRole('button', { name: /^Star/ })).toHaveAttribute('aria-pressed', 'true');
  await older.getByRole('button', { name: /^More about/ }).click();
  await older.getByLabel('Tags').fill('first try, keep');
  await older.getByLabel('Tags').blur();
  await expect(older.locator('.tag')).toHaveText(['first try', 'keep']);
  await page.getByLabel('Search').fill('keep seed');
  await expect(rows).toHaveCount(1);
  await page.getByLabel('Search').fill('');
  await page.getByLabel('Starred only').check();
  await expect(rows).toHaveCount(1);
  await page.getByLabel('Starred only').uncheck();

  await test.step('it opens with its curve and transcripts', async () => {
    await rows.nth(1).getByRole('button', { name: /^Open/ }).click();
    await expect(page.locator('.recorded')).toHaveText(name);
    await expect(page.locator('[data-chart="reward"] canvas')).toBeVisible();
    await expect(page.getByTestId('episode')).toBeVisible();
    await expect(playground.seed).toHaveValue('1');
  });

  await test.step('it is exported and imported again', async () => {
    await openRuns(page);
    await rows.nth(0).getByRole('button', { name: /^More about/ }).click();
    const waiting = page.waitForEvent('download');
    await rows.nth(0).getByRole('button', { name: 'Export' }).click();
    const file = await (await waiting).path();
    await page.getByLabel('Import a run').setInputFiles({ name: 'run.zip', mimeType: 'application/zip', buffer: await readFile(file) });
    await expect(rows).toHaveCount(3);
    await expect(rows.nth(0)).toContainText('from a file');
    await page.getByLabel('Import a run').setInputFiles({ name: 'run.zip', mimeType: 'application/zip', buffer: Buffer.from('PK nothing of the kind') });
    await expect(page.getByTestId('runs-trouble')).toContainText('This file is not a run, or is damaged.');
  });

  await test.step('the imported one is rolled back and trained on', async () => {
    await rows.nth(0).getByRole('button', { name: /^More about/ }).click();
    await rows.nth(0).getByLabel(/^Checkpoint of/).selectOption('1');
    await rows.nth(0).getByRole('button', { name: 'Roll back and resume from iteration 1' }).click();
    await expect(playground.iteration).toHaveText('1');
    await playground.train.click();
    await expect(playground.status).toHaveText('Finished');
  });
});

test('a deleted run comes back with one click, and its room can be freed at once', async ({ playground, page }) => {
  await playground.open();
  await trainOne(playground, 1);
  await page.reload();
  const rows = await openRuns(page);
  await expect(rows).toHaveCount(1);
  await rows.getByRole('button', { name: /^More about/ }).click();
  await rows.getByRole('button', { name: /^Delete/ }).click();
  await expect(rows).toHaveCount(0);
  await page.getByTestId('deleted').getByRole('button', { name: 'Undo' }).click();
  await expect(rows).toHaveCount(1);

  await page.getByLabel(/^Choose /).check();
  await page.getByRole('button', { name: 'Delete 1' }).click();
  await expect(page.getByTestId('storage')).toContainText('1 deleted run still takes room');
  await page.getByRole('button', { name: 'Free that space now' }).click();
  await expect(page.getByTestId('deleted')).toBeHidden();
  await page.reload();
  await openRuns(page);
  await expect(page.getByText('No runs yet.')).toBeVisible();
});

test('two tabs: both save their runs, each sees the other’s, and one run has one writer', async ({ playground, page }) => {
  await playground.open();
  await trainOne(playground, 1);

  const other = await page.context().newPage();
  await other.goto(page.url());
  const rows = await openRuns(other);
  await expect(rows).toHaveCount(1);
  await rows.getByRole('button', { name: /^More about/ }).click();
  await rows.getByRole('button', { name: 'Resume from iteration 1' }).click();
  await expect(other.getByTestId('trouble')).toContainText('Another tab is training this run.');
  await openRuns(other);
  await rows.getByRole('button', { name: /^Open/ }).click();
  await expect(other.getByTestId('episode')).toBeVisible();

  await other.getByRole('region', { name: 'Training controls' }).getByRole('button', { name: 'One iteration' }).click();
  await expect(other.getByTestId('status')).toContainText('Paused');
  await expect(other.getByTestId('not-saved')).toBeHidden();
  await expect(await openRuns(page)).toHaveCount(2);
  await other.close();
});

/** Makes the trainer's storage fail in a way of its own. */
async function sabotage(page: Page, code: string): Promise<void> {
  await page.context().route('**/assets/trainer-*.js', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: `${code}\n${await response.text()}` });
  });
}

test('full storage: training goes on, the page says so and offers a file', async ({ playground, page }) => {
  await sabotage(page, "FileSystemWritableFileStream.prototype.write = () => Promise.reject(new DOMException('No room.', 'QuotaExceededError'));");
  await playground.open();
  await playground.preset.selectOption(SMALLEST);
  await playground.train.click();
  await expect(page.getByTestId('not-saved')).toContainText('The browser has no more room for this page.');
  await expect(playground.status).toHaveText('Finished');
  const waiting = page.waitForEvent('download');
  await page.getByTestId('not-saved').getByRole('button', { name: 'Save it as a file' }).click();
  const file = await readFile(await (await waiting).path());
  await page.getByTestId('not-saved').getByRole('button', { name: 'Free space under Runs' }).click();
  // The page's own storage is whole: the file can be taken in there.
  await page.getByLabel('Import a run').setInputFiles({ name: 'run.json', mimeType: 'application/json', buffer: file });
  await expect(page.getByTestId('run')).toHaveCount(1);
  await expect(page.getByTestId('run')).toContainText('Iteration 2 of 2');
});

test('refused storage: the list says why it is empty', async ({ playground, page }) => {
  await page.addInitScript(() => {
    const refuse = (): never => {
      throw new DOMException('It was refused.', 'SecurityError');
    };
    navigator.storage.getDirectory = refuse;
    indexedDB.open = refuse;
  });
  await playground.open();
  await page.getByRole('button', { name: 'Runs', exact: true }).click();
  await expect(page.getByTestId('runs-trouble')).toContainText('The browser stores nothing for this page: It was refused.');
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`nothing for axe to find, ${colorScheme}`, async ({ playground, page }) => {
    await page.emulateMedia({ colorScheme });
    await playground.open();
    const rows = await openRuns(page);
    expect(await violations(page), 'empty').toEqual([]);
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    expect(await violations(page), 'empty comparison').toEqual([]);
    await page.getByRole('button', { name: 'Sweeps', exact: true }).click();
    expect(await violations(page), 'sweeps').toEqual([]);
    await page.getByRole('button', { name: 'Playground', exact: true }).click();
    await trainOne(playground, 1);
    await page.getByRole('button', { name: 'Runs', exact: true }).click();
    await page.getByRole('button', { name: 'All runs' }).click();
    await rows.getByRole('button', { name: /^More about/ }).click();
    await expect(page.getByTestId('run-details')).toContainText('stored');
    expect(await violations(page), 'a run').toEqual([]);
    await page.setViewportSize({ width: 390, height: 900 });
    expect(await sticksOut(page)).toEqual([]);
  });
}
