import { expect, test } from './playground.ts';

// The smallest preset: its iterations take a fraction of a second.
const SMALLEST = 'micro-addition';

test('one iteration, then on to the end of the schedule', async ({ playground, page }) => {
  await playground.open();
  await playground.preset.selectOption(SMALLEST);
  await playground.oneIteration.click();
  await expect(playground.iteration).toHaveText('1');
  await expect(playground.status).toContainText('Paused');
  await expect(page.locator('[data-chart="reward"] canvas')).toBeVisible();

  await playground.train.click();
  await expect(playground.status).toHaveText('Finished');
  await expect(playground.iteration).toHaveText('2');

  await page.locator('[data-chart="reward"]').getByText('Show as table').click();
  const rows = page.getByRole('region', { name: 'Table of Team reward' }).locator('tbody tr');
  await expect(rows.first()).toContainText('2');
});

test('pause takes effect at the end of the iteration, and training goes on from there', async ({ playground }) => {
  await playground.open();
  await playground.preset.selectOption(SMALLEST);
  await playground.set(playground.iterations, 500);
  await playground.train.click();
  await expect(playground.iteration).not.toHaveText('0');
  await playground.pause.click();
  await expect(playground.status).toContainText('Paused');
  const paused = Number(await playground.iteration.innerText());
  expect(paused).toBeLessThan(500);

  await playground.oneIteration.click();
  await expect(playground.iteration).toHaveText(String(paused + 1));
});

test('the same seed gives the same run, another seed another one', async ({ playground }) => {
  await playground.open();
  await playground.preset.selectOption(SMALLEST);
  const spoken = async (): Promise<string> => {
    await playground.train.click();
    await expect(playground.status).toHaveText('Finished');
    const { experiment, metrics, episodes } = await playground.downloadRun();
    expect(experiment.seed).toBe(Number(await playground.seed.inputValue()));
    const timeless = metrics.map((row) =>
      Object.fromEntries(Object.entries(row).filter(([name]) => !name.startsWith('time/') && !name.endsWith('tok_per_s'))),
    );
    return JSON.stringify([timeless, episodes]);
  };

  const first = await spoken();
  const again = await spoken();
  expect(again).toBe(first);

  await playground.set(playground.seed, 7);
  expect(await spoken()).not.toBe(first);
});

test('cutting D after training asks for a reset and then applies', async ({ playground, page }) => {
  await playground.open();
  await playground.preset.selectOption(SMALLEST);
  await playground.oneIteration.click();
  await expect(playground.iteration).toHaveText('1');
  await page.getByText('What solver was shown').click();
  await expect(page.getByTestId('episode')).toContainText('reasoner: ');

  const d = page.getByRole('button', { name: 'solver hears reasoner' });
  await expect(d).toHaveAttribute('aria-pressed', 'true');
  await d.click();
  await expect(d).toHaveAttribute('aria-pressed', 'false');
  await expect(page.getByRole('button', { name: 'none', exact: true })).toHaveAttribute('aria-pressed', 'true');
  await expect(page.getByText('You changed who hears whom (D).')).toBeVisible();

  await page.getByRole('button', { name: 'Undo the change' }).click();
  await expect(d).toHaveAttribute('aria-pressed', 'true');
  await expect(page.getByText('You changed')).toBeHidden();

  await page.getByRole('button', { name: 'none', exact: true }).click();
  await page.getByRole('button', { name: 'Reset and apply' }).click();
  await expect(playground.iteration).toHaveText('0');
  await playground.oneIteration.click();
  await expect(playground.iteration).toHaveText('1');
  await expect(page.getByTestId('episode')).not.toContainText('reasoner: ');
});

test('an arrow that cannot be played is refused with the reason', async ({ playground, page }) => {
  await playground.open();
  await page.getByRole('button', { name: 'reasoner hears solver' }).click();
  await expect(page.getByText('would speak after "solver" has answered')).toBeVisible();
  await expect(page.getByRole('button', { name: 'reasoner hears solver' })).toHaveAttribute('aria-pressed', 'false');
});

test('a seed that is not a whole number in bounds is refused', async ({ playground }) => {
  await playground.open();
  await playground.set(playground.seed, -3);
  await expect(playground.seed).toHaveAttribute('aria-invalid', 'true');
  await playground.set(playground.seed, 12);
  await expect(playground.seed).toHaveAttribute('aria-invalid', 'false');
});

test('the backend badge says what runs, why, and what would be faster', async ({ playground, page }) => {
  await playground.open();
  const badge = page.getByRole('button', { name: /Backend:/ });
  await expect(badge).toContainText('WASM');
  await badge.click();
  await expect(page.getByTestId('backend-reason')).toContainText('runs on the processor (WASM)');
  await expect(page.getByText('Faster:')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('backend-reason')).toBeHidden();
});

test('the theme can be chosen and is remembered', async ({ playground, page }) => {
  await playground.open();
  const background = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const toggle = page.getByRole('button', { name: /Theme:/ });
  await toggle.click();
  const light = await background();
  await toggle.click();
  const dark = await background();
  expect(dark).not.toBe(light);
  await page.reload();
  expect(await background()).toBe(dark);
});

test('tokens can be walked along with the arrow keys', async ({ playground, page }) => {
  await playground.open();
  await playground.preset.selectOption(SMALLEST);
  await playground.oneIteration.click();
  await expect(playground.iteration).toHaveText('1');
  await playground.token(0, 0).focus();
  await page.keyboard.press('End');
  const last = (await page.locator('[data-utterance="0"]').count()) - 1;
  await expect(playground.token(0, last)).toBeFocused();
  await expect(playground.inspector).toContainText(`Token ${last + 1} of reasoner`);
  await page.keyboard.press('Home');
  await expect(playground.token(0, 0)).toBeFocused();
});
