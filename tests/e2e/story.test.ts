/** The whole story with the keyboard alone: look, train, read a token, cut an arrow, ask, leave, come back. And how free the page stays meanwhile. */
import type { Locator, Page } from '@playwright/test';
import { expect, test, written } from './playground.ts';

const ITERATIONS = 18;
/** With D cut the guesser has one chance in ten, whatever it learns. */
const CUT_ITERATIONS = 4;
/** Milliseconds over which nothing may keep the page busy, and how often what is over 50 ms may happen in one training. */
const LONGEST_TASK = 200;
const LONG_TASKS = 6;

/** Presses Tab until the element has the focus, as one does who has no mouse. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible();
  for (let presses = 0; presses < 150; presses++) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`${target} cannot be reached with the Tab key.`);
}

async function press(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press('Enter');
}

async function type(page: Page, target: Locator, text: string): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type(text);
}

test('the story by keyboard: a team learns, a token is read, an arrow is cut, the team is asked, and the run outlives a reload', async ({ playground, page }) => {
  test.setTimeout(600_000);
  await page.addInitScript(() => {
    const long: number[] = [];
    new PerformanceObserver((list) => long.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask' });
    Object.assign(window, { longTasks: long });
  });
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));

  await playground.open();
  await test.step('a recorded run is there before anything large is fetched', async () => {
    await expect(page.getByText('Recorded run')).toBeVisible();
    await expect(page.locator('[data-chart="reward"] canvas')).toBeVisible();
    await expect(page.getByTestId('episode')).toBeVisible();
    expect(asked.filter((path) => /\.(wasm|safetensors)$/.test(path))).toEqual([]);
  });

  await test.step('a team learns, and the page stays free', async () => {
    await tabTo(page, playground.preset);
    await page.keyboard.type('A secret', { delay: 20 });
    await expect(playground.preset).toHaveValue('secret');
    await type(page, playground.iterations, String(ITERATIONS));
    await press(page, playground.train);
    await expect(playground.iteration).toHaveText('1');
    await page.evaluate(() => ((window as unknown as { longTasks: number[] }).longTasks.length = 0));
    await expect(playground.status).toHaveText('Finished', { timeout: 400_000 });
    const long = await page.evaluate(() => (window as unknown as { longTasks: number[] }).longTasks);
    console.log(`tasks over 50 ms while training ${ITERATIONS} iterations:`, long.map(Math.round));
    expect(Math.max(0, ...long)).toBeLessThanOrEqual(LONGEST_TASK);
    expect(long.length).toBeLessThanOrEqual(LONG_TASKS);
  });

  const learned = await playground.downloadRun();
  const rewards = learned.metrics.filter(({ iteration }) => iteration > 0).map((row) => row['reward/mean'] ?? Number.NaN);
  expect(mean(rewards.slice(-4)), rewards.join(' ')).toBeGreaterThanOrEqual(0.65);

  await test.step('a token has the numbers of the run’s data', async () => {
    const id = Number(await page.locator('[data-episode][aria-current="true"], [data-episode][aria-pressed="true"], [data-episode][aria-selected="true"]').first().getAttribute('data-episode'));
    const shown = learned.episodes.find(({ iteration, episode }) => iteration === ITERATIONS && episode === id);
    const token = shown?.utterances[0]?.tokens[0];
    if (!token) throw new Error(`There is no episode ${id} in the data.`);
    await tabTo(page, playground.token(0, 0));
    await expect(playground.figure('logprob')).toHaveText(written(token.logprob));
    await expect(playground.figure('value')).toHaveText(written(token.value));
  });

  await test.step('the team is asked', async () => {
    const panel = page.getByRole('region', { name: 'Ask the team' });
    await press(page, panel.getByRole('group', { name: /Examples/ }).getByRole('button').first());
    await press(page, panel.getByRole('button', { name: 'Ask', exact: true }));
    await expect(panel.getByText('Both have answered.')).toBeVisible();
  });

  await test.step('the run outlives a reload', async () => {
    await page.reload();
    await press(page, page.getByTestId('saved-run').getByRole('button', { name: 'Show the finished run' }));
    await expect(playground.iteration).toHaveText(String(ITERATIONS));
    const again = await playground.downloadRun();
    expect(again.metrics.map((row) => row['reward/mean'])).toEqual(learned.metrics.map((row) => row['reward/mean']));
  });

  await test.step('with the arrow cut the team falls to chance', async () => {
    await press(page, page.getByRole('button', { name: 'guesser hears speaker' }));
    await type(page, playground.iterations, String(CUT_ITERATIONS));
    await press(page, page.getByRole('button', { name: 'Reset and apply' }));
    await expect(playground.iteration).toHaveText('0');
    await press(page, playground.train);
    await expect(playground.status).toHaveText('Finished', { timeout: 200_000 });
    const { metrics } = await playground.downloadRun();
    const cut = metrics.filter(({ iteration }) => iteration > 0).map((row) => row['reward/mean'] ?? Number.NaN);
    expect(mean(cut), cut.join(' ')).toBeLessThanOrEqual(0.25);
  });
});

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
}
