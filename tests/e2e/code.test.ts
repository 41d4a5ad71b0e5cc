/** Programs in the page: problems with tests are chosen, and training goes on whatever a program does. */
import type { Page } from '@playwright/test';
import { violations } from './axe.ts';
import { expect, sticksOut, test, type PlaygroundPage } from './playground.ts';

async function openData(playground: PlaygroundPage, page: Page): Promise<void> {
  await playground.open();
  await playground.preset.selectOption('micro-addition');
  await page.getByRole('button', { name: 'Choose data' }).click();
  await expect(page.getByRole('dialog', { name: 'Data' })).toBeVisible();
}

const rows = Array.from({ length: 12 }, (_, k) => ({ problem: `Print ${k}.`, tests: [{ input: '', output: `${k}\n` }] }));

test('problems with tests are chosen from a file, in a language and with a reward, and the team trains on them', async ({ playground, page }) => {
  await openData(playground, page);
  await page.getByLabel('Programs are written in').selectOption('javascript');
  await page.getByLabel('The reward is').selectOption('fraction');
  await page.getByLabel('File of problems').setInputFiles({ name: 'tests.jsonl', mimeType: 'application/jsonl', buffer: Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n')) });
  await expect(page.getByLabel('Each row is')).toHaveValue('deepcoder');
  await page.getByLabel('Each row is').selectOption('codeforces');
  await expect(page.getByText('The table has no column “title”, “description”')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Use these problems' })).toBeDisabled();
  await page.getByLabel('Each row is').selectOption('deepcoder');
  expect(await violations(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await sticksOut(page)).toEqual([]);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByLabel(/Use the team suggested/).uncheck();
  await page.getByRole('button', { name: 'Use these problems' }).click();
  await expect(page.getByTestId('task')).toContainText('Programming problems in JavaScript');
  await playground.oneIteration.click();
  await expect(playground.iteration).toHaveText('1');
  await expect(playground.trouble).toBeHidden();
  const { experiment, episodes } = await playground.downloadRun();
  expect(experiment.task).toMatchObject({ name: 'code', options: { source: 'file', file: 'tests.jsonl', format: 'deepcoder', language: 'javascript', reward: 'fraction' } });
  for (const { question, rewardParts } of episodes) {
    expect(question).toMatch(/^Print \d+\./);
    expect(rewardParts).toEqual({ passed: 0, correct: 0, code: 0 });
  }
});

test('the problems that come with the page need nothing but a click, and bring their team', async ({ playground, page }) => {
  await openData(playground, page);
  await page.getByRole('button', { name: /that come with the page/ }).click();
  await expect(page.getByTestId('task')).toContainText('Programming problems in Python');
  await expect(page.getByTestId('team-graph').getByRole('button', { name: /^Settings of/ })).toHaveText(['planner', 'coder']);
});

test('training goes on where judging some of the episodes never ends', async ({ playground, page }) => {
  await playground.open();
  await playground.preset.selectOption('micro-addition');
  await page.getByRole('button', { name: 'Write a reward' }).click();
  // Some of the episodes hang, those of the evaluations too; the questions of the recorded run on the page have two digits each, and none of those is caught.
  await page.getByRole('textbox', { name: 'Code of the reward' }).fill('function reward({ question }) {\n  while (/^[01]\\+/.test(question));\n  return 0.5;\n}');
  await page.getByRole('button', { name: 'Use this reward' }).click();
  await playground.train.click();
  await expect(playground.iteration).toHaveText('2', { timeout: 90_000 });
  await expect(playground.trouble).toBeHidden();
  const { episodes, metrics } = await playground.downloadRun();
  const errors = episodes.map(({ rewardParts }) => rewardParts['error']);
  expect(new Set(errors)).toEqual(new Set([0, 1]));
  for (const { question, reward, rewardParts } of episodes) {
    expect([reward, rewardParts['error']], question).toEqual(/^[01]\+/.test(question) ? [0, 1] : [0.5, 0]);
  }
  expect(metrics.length).toBe(2);
});
