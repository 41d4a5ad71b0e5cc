import { violations } from './axe.ts';
import { expect, test } from './playground.ts';

const COUNT = 9;

for (const colorScheme of ['light', 'dark'] as const) {
  test(`every lesson opens, with its formulas typeset and nothing for axe to find, ${colorScheme}`, async ({ playground, page }) => {
    await page.emulateMedia({ colorScheme });
    await playground.open();
    await page.getByRole('button', { name: 'Lessons' }).click();
    const lessons = page.getByTestId('lessons');
    let formulas = 0;
    for (let lesson = 1; lesson <= COUNT; lesson++) {
      await expect(lessons).toContainText(`Lesson ${lesson} of ${COUNT}`);
      await expect(lessons.getByTestId('goal')).toContainText('Your aim:');
      await lessons.getByText('Show an answer').click();
      const drawn = lessons.locator('.katex');
      if (lesson === 5) await expect(drawn.first()).toBeVisible();
      formulas += await drawn.count();
      expect(await violations(page), `lesson ${lesson}`).toEqual([]);
      if (lesson < COUNT) await lessons.getByRole('button', { name: 'Next lesson' }).click();
    }
    expect(formulas).toBeGreaterThan(3);
    await lessons.getByRole('button', { name: 'Close' }).click();
    await expect(lessons).toBeHidden();
  });
}

test('the lesson on hearing: with the arrow the team learns, without it the page sees it at chance and remembers', async ({ playground, page }) => {
  await playground.open();
  await page.getByRole('button', { name: 'Lessons' }).click();
  const lessons = page.getByTestId('lessons');
  await lessons.getByLabel(/^Lesson 1/).selectOption('2');
  const goal = lessons.getByTestId('goal');

  await lessons.getByRole('button', { name: 'train 20 iterations' }).click();
  await expect(playground.status).toHaveText('Finished', { timeout: 120_000 });
  const heard = await playground.downloadRun();
  expect(meanOfLast(heard.metrics.map((row) => row['reward/mean']))).toBeGreaterThan(0.6);
  await expect(goal).toContainText('Your aim:');

  await lessons.getByRole('button', { name: 'without anybody hearing anybody' }).click();
  await expect(goal).toContainText('Reached:', { timeout: 120_000 });
  await expect(playground.status).toHaveText('Finished', { timeout: 120_000 });
  const cut = await playground.downloadRun();
  expect(meanOfLast(cut.metrics.map((row) => row['reward/mean']))).toBeLessThan(0.2);

  await page.reload();
  await page.getByRole('button', { name: 'Lessons' }).click();
  await expect(page.getByTestId('lessons')).toContainText('1 reached');
});

/** Of the last five iterations. */
function meanOfLast(rewards: (number | undefined)[]): number {
  const last = rewards.flatMap((reward) => (reward === undefined ? [] : [reward])).slice(-5);
  return last.reduce((sum, reward) => sum + reward, 0) / last.length;
}
