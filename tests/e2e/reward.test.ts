/** A reward written in the page: tried, trained with, wrong in every way, and asked about where it comes from elsewhere. */
import type { Locator, Page } from '@playwright/test';
import { violations } from './axe.ts';
import { expect, test, type PlaygroundPage } from './playground.ts';

const SHORT = 'function reward({ answer }) {\n  return { reward: answer.length < 3 ? 1 : 0.25, parts: { brief: 1 } };\n}';

const dialogOf = (page: Page): Locator => page.getByRole('dialog', { name: 'A reward of your own' });

async function openEditor(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: /^(Write a|Edit the) reward$/ }).click();
  await expect(page.getByRole('textbox', { name: 'Code of the reward' })).toBeVisible();
  return dialogOf(page);
}

async function write(page: Page, code: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Code of the reward' }).fill(code);
}

async function trainedOnce(playground: PlaygroundPage): Promise<void> {
  await playground.open();
  await playground.preset.selectOption('micro-addition');
  await playground.oneIteration.click();
  await expect(playground.iteration).toHaveText('1');
}

test('a reward is written, tried on recorded episodes, trained with and removed', async ({ playground, page }) => {
  await trainedOnce(playground);
  const dialog = await openEditor(page);
  await write(page, SHORT);
  await page.getByRole('button', { name: 'Try it' }).click();
  const tried = page.getByRole('region', { name: 'Rewards of recorded episodes' });
  await expect(tried.getByRole('row')).toHaveCount(5);
  await expect(tried.getByRole('row').nth(1)).toContainText(/1\.00|0\.25/);
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Use this reward' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByTestId('reward')).toContainText('Code of this experiment judges');

  await playground.reset.click();
  await playground.oneIteration.click();
  await expect(playground.iteration).toHaveText('1');
  await expect(playground.trouble).toBeHidden();
  const { experiment, episodes } = await playground.downloadRun();
  expect(experiment.task.reward).toEqual({ code: SHORT });
  for (const { reward, rewardParts, utterances } of episodes) {
    expect(reward).toBe((utterances.at(-1)?.text.length ?? 0) < 3 ? 1 : 0.25);
    expect(rewardParts).toMatchObject({ brief: 1, error: 0 });
  }

  await openEditor(page);
  await page.getByRole('button', { name: 'Remove it' }).click();
  await expect(page.getByTestId('reward')).toContainText('The task judges');
});

test('what is wrong is told at its line; what never ends is stopped, and the page stays alive', async ({ playground, page }) => {
  await trainedOnce(playground);
  const dialog = await openEditor(page);
  await write(page, 'function reward() {\n  return nothing;\n}');
  await page.getByRole('button', { name: 'Use this reward' }).click();
  await expect(dialog.getByRole('alert')).toContainText('failed in line 2: ReferenceError');
  await expect(page.locator('.cm-lint-marker-error')).toBeVisible();
  await write(page, 'function reward() {\n  for (;;);\n}');
  await page.getByRole('button', { name: 'Try it' }).click();
  await expect(dialog.getByRole('alert')).toContainText('longer than 1 s');
  await write(page, SHORT);
  await page.getByRole('button', { name: 'Try it' }).click();
  await expect(page.getByRole('region', { name: 'Rewards of recorded episodes' })).toBeVisible();
});

test('code that turns out never to end pauses the training with the reason', async ({ playground, page }) => {
  await playground.open();
  await playground.preset.selectOption('micro-addition');
  await openEditor(page);
  // Questions of the recorded run on the page have two digits each, and are not caught in it.
  await write(page, 'function reward({ question }) {\n  while (question.length < 7);\n  return 1;\n}');
  await page.getByRole('button', { name: 'Use this reward' }).click();
  await playground.oneIteration.click();
  await expect(page.getByText('Training paused by itself.')).toBeVisible({ timeout: 60_000 });
  await expect(page.getByText(/No episode could be judged/)).toBeVisible();
  await expect(playground.iteration).toHaveText('1');
});

test('a run that was saved with code asks before it goes on', async ({ playground, page }) => {
  await playground.open();
  await playground.preset.selectOption('micro-addition');
  await openEditor(page);
  await write(page, SHORT);
  await page.getByRole('button', { name: 'Use this reward' }).click();
  await playground.oneIteration.click();
  await expect(playground.iteration).toHaveText('1');
  // By then it has been saved.
  await expect(playground.status).toContainText('Paused');
  await page.reload();
  const resume = page.getByRole('button', { name: /^Resume/ }).first();
  await resume.click();
  const dialog = page.getByRole('dialog', { name: 'This experiment brings code' });
  await expect(dialog.getByRole('region', { name: 'Code of the reward' })).toHaveText(SHORT);
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Do not run it' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText('Recorded run', { exact: true })).toBeVisible();
  await resume.click();
  await dialog.getByRole('button', { name: 'Run it', exact: true }).click();
  await expect(playground.iteration).toHaveText('1');
  await playground.oneIteration.click();
  await expect(playground.iteration).toHaveText('2');
  await expect(dialog).toBeHidden();
});
