import type { Page } from '@playwright/test';
import { expect, test, type PlaygroundPage, type RunDocument } from './playground.ts';

const SMALLEST = 'micro-addition';
const ITERATIONS = 4;

async function prepare(playground: PlaygroundPage): Promise<void> {
  await playground.open();
  await playground.preset.selectOption(SMALLEST);
  await playground.set(playground.iterations, ITERATIONS);
}

/** What must be the same: everything but times, speeds and memory. */
function timeless({ experiment, metrics, episodes }: RunDocument): string {
  return JSON.stringify({ experiment, metrics, episodes }, (key, value: unknown) => (/^time\/|tok_per_s$|^mem\//.test(key) ? undefined : value));
}

test('a run goes on after a reload, to the same numbers as one that was never left', async ({ playground, page }) => {
  await prepare(playground);
  await playground.train.click();
  await expect(playground.status).toHaveText('Finished');
  const whole = await playground.downloadRun();

  await playground.reset.click();
  await playground.oneIteration.click();
  await expect(playground.iteration).toHaveText('1');
  await expect(playground.status).toContainText('Paused');
  await playground.oneIteration.click();
  await expect(playground.iteration).toHaveText('2');
  await expect(playground.status).toContainText('Paused');
  await page.reload();

  const offer = page.getByTestId('saved-run');
  await expect(offer).toContainText('up to iteration 2 of 4');
  await expect(page.getByText('Recorded run')).toBeVisible();
  await offer.getByRole('button', { name: 'Resume the run from iteration 2' }).click();
  await expect(playground.status).toContainText('Paused');
  await expect(offer).toBeHidden();
  await expect(playground.preset).toHaveValue(SMALLEST);
  await expect(playground.iteration).toHaveText('2');
  await expect(page.locator('[data-chart="reward"] canvas')).toBeVisible();
  await expect(page.getByTestId('episode')).toBeVisible();
  await playground.train.click();
  await expect(playground.status).toHaveText('Finished');
  expect(timeless(await playground.downloadRun())).toBe(timeless(whole));

  await test.step('back to an earlier iteration, and the same again', async () => {
    await page.reload();
    await page.getByLabel('Iteration to resume from').selectOption('3');
    await page.getByRole('button', { name: 'Resume the run from iteration 3' }).click();
    await expect(playground.iteration).toHaveText('3');
    await playground.train.click();
    await expect(playground.status).toHaveText('Finished');
    expect(timeless(await playground.downloadRun())).toBe(timeless(whole));
  });

  await test.step('discarded, it is gone', async () => {
    await page.reload();
    await page.getByRole('button', { name: 'Discard it' }).click();
    await expect(offer).toBeHidden();
    await page.reload();
    await expect(page.getByRole('button', { name: /Backend:.*WASM/ })).toBeVisible();
    await expect(offer).toBeHidden();
  });
});

/** Makes the worker's storages refuse, which only its own code can bring about. */
async function refuse(page: Page, storages: string): Promise<void> {
  await page.context().route('**/assets/trainer-*.js', async (route) => {
    const response = await route.fetch();
    const refusal = `${storages} = () => { throw new DOMException('It was refused.', 'SecurityError'); };\n`;
    await route.fulfill({ response, body: refusal + (await response.text()) });
  });
}

test('a browser without files for pages keeps the run in its database', async ({ playground, page }) => {
  await refuse(page, 'navigator.storage.getDirectory');
  await prepare(playground);
  await playground.oneIteration.click();
  await expect(playground.status).toContainText('Paused');
  await expect(playground.iteration).toHaveText('1');
  await page.reload();
  await page.getByRole('button', { name: 'Resume the run from iteration 1' }).click();
  await expect(playground.iteration).toHaveText('1');
  await playground.oneIteration.click();
  await expect(playground.iteration).toHaveText('2');
});

test('where the browser stores nothing, training goes on and says so', async ({ playground, page }) => {
  await refuse(page, 'navigator.storage.getDirectory = indexedDB.open');
  await prepare(playground);
  await playground.train.click();
  await expect(page.getByTestId('not-saved')).toContainText('The browser stores nothing for this page: It was refused.');
  await expect(playground.status).toHaveText('Finished');
});
