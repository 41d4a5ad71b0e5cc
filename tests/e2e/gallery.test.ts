/** Runs and sweeps that were made beforehand: listed, opened at once, done again. */
import { violations } from './axe.ts';
import { expect, test, sticksOut } from './playground.ts';

/** What only training needs. */
const TRAINING = /\.wasm$|\/models\//;

for (const colorScheme of ['light', 'dark'] as const) {
  test(`recorded runs and ablations are listed with the commands that made them, ${colorScheme}`, async ({ playground, page }) => {
    await page.emulateMedia({ colorScheme });
    await playground.open();
    await page.getByRole('button', { name: 'Gallery', exact: true }).click();
    const secret = page.getByTestId('recorded').filter({ hasText: 'A secret to pass on' });
    await expect(secret).toContainText('npm run --silent marft -- run secret');
    await expect(secret).toContainText(/40 iterations.*Reward \d+ %.*held-out \d+ % → \d+ %/s);
    await expect(secret.getByRole('img', { name: /A secret to pass on: reward from 0\.\d\d to [01]\.\d\d/ })).toBeVisible();
    await expect(page.getByTestId('ablation').filter({ hasText: 'paper/ippo' })).toContainText('npm run --silent marft -- sweep paper/ippo --seeds 5');
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await violations(page), `${width}`).toEqual([]);
      expect(await sticksOut(page), `${width}`).toEqual([]);
    }
  });
}

test('every recorded run opens at once, and nothing is started for it', async ({ playground, page }) => {
  const requests: string[] = [];
  page.context().on('request', (request) => requests.push(request.url()));
  await playground.open();
  const gallery = page.getByRole('button', { name: 'Gallery', exact: true });
  await gallery.click();
  await expect(page.getByTestId('recorded').first()).toBeVisible();
  const titles = await page.getByTestId('recorded').getByRole('heading').allTextContents();
  expect(titles.length).toBeGreaterThan(9);
  for (const title of titles) {
    await page.getByRole('button', { name: `Open ${title}`, exact: true }).click();
    await expect(page.getByText('Recorded run', { exact: true })).toBeVisible();
    await expect(playground.preset.locator('option:checked')).toHaveText(title);
    await expect(playground.iteration).not.toHaveText('0');
    await expect(playground.token(0, 0)).toBeVisible();
    await gallery.click();
  }
  expect(requests.filter((url) => TRAINING.test(url))).toEqual([]);
});

test('a recorded run is done again over its curve', async ({ playground, page }) => {
  await playground.open();
  await page.getByRole('button', { name: 'Gallery', exact: true }).click();
  await page.getByRole('button', { name: 'Reproduce A secret to pass on' }).click();
  await expect(playground.iteration).toHaveText('2', { timeout: 120_000 });
  await expect(page.locator('[data-chart="reward"]')).toContainText('Shared');
  await expect(page.getByTestId('agreement')).toHaveText('The comparison is made once this run has as many iterations as the shared one.');
  await playground.pause.click();
  await expect(playground.status).toContainText('Paused');
  await page.getByRole('button', { name: 'Put the shared results aside' }).click();
  await expect(page.getByTestId('agreement')).toBeHidden();
});

test('the results of an ablation open side by side', async ({ playground, page }) => {
  await playground.open();
  await page.getByRole('button', { name: 'Gallery', exact: true }).click();
  await page.getByRole('button', { name: 'Compare paper/level' }).click();
  await expect(page.getByTestId('curves')).toContainText('token level 5 seeds');
  await expect(page.getByTestId('curves')).toContainText('action level 5 seeds');
  await expect(page.getByTestId('verdicts')).toContainText(/“(token|action) level”/);
});

test('what cannot be fetched is a sentence', async ({ playground, page }) => {
  await page.route('**/recorded/secret.json', (route) => route.fulfill({ body: 'not a run' }));
  await playground.open();
  await page.getByRole('button', { name: 'Gallery', exact: true }).click();
  await page.getByRole('button', { name: 'Open A secret to pass on' }).click();
  await expect(page.getByTestId('runs-trouble')).toContainText('The recorded run could not be loaded. Check the connection and try again.');
  await page.getByRole('button', { name: 'Open A duo learns to add' }).click();
  await expect(page.getByText('Recorded run', { exact: true })).toBeVisible();
});
