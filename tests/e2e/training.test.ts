import { expect, test, written, writtenSigned } from './playground.ts';

test('a team learns to add in a browser without a GPU, and every token can be read', async ({ playground, page }) => {
  test.setTimeout(900_000);
  await playground.open();
  await expect(page.getByRole('button', { name: /Backend:.*WASM/ })).toBeVisible();
  await expect(playground.preset).toHaveValue('duo-addition');

  await playground.set(playground.iterations, 25);
  await playground.train.click();
  await expect(playground.iteration).toHaveText('25', { timeout: 840_000 });
  await expect(playground.status).toHaveText('Finished');

  const { metrics, episodes } = await playground.downloadRun();
  const rewards = metrics.filter(({ iteration }) => iteration > 0).map((row) => row['reward/mean'] ?? NaN);
  expect(rewards).toHaveLength(25);
  const early = mean(rewards.slice(0, 3));
  const late = mean(rewards.slice(-3));
  expect(late - early, `from ${early.toFixed(2)} to ${late.toFixed(2)}`).toBeGreaterThanOrEqual(0.25);
  const [before, after] = [metrics.at(0)?.['eval/reward'] ?? NaN, metrics.at(-1)?.['eval/reward'] ?? NaN];
  expect(after - before, 'on held-out problems').toBeGreaterThanOrEqual(0.25);

  const played = episodes.filter(({ iteration }) => iteration === 25);
  const best = played.toSorted((a, b) => b.reward - a.reward || a.episode - b.episode).at(0);

  await test.step('the inspector shows the numbers of the run’s data', async () => {
    const reasoner = best?.utterances[0]?.tokens[0];
    const answer = best?.utterances[1]?.tokens.at(-1);
    if (!best || !reasoner || !answer) throw new Error('the last iteration has no complete episode');

    await page.getByLabel('Order of episodes').selectOption('best');
    await page.locator('[data-episode]').first().click();
    await expect(page.getByTestId('episode')).toContainText(best.question);
    await expect(page.getByTestId('episode')).toContainText(best.expected);

    await playground.token(0, 0).hover();
    await expect(playground.figure('advantage')).toHaveText(writtenSigned(reasoner.advantage));
    await expect(playground.figure('value')).toHaveText(written(reasoner.value));
    await expect(playground.figure('logprob')).toHaveText(written(reasoner.logprob));
    await expect(playground.figure('entropy')).toHaveText(written(reasoner.entropy));
    await expect(playground.figure('refKl')).toHaveText(written(reasoner.refKl));

    const last = (best.utterances[1]?.tokens.length ?? 0) - 1;
    await playground.token(1, last).focus();
    await expect(playground.figure('reward')).toHaveText(written(best.reward));
    await expect(playground.figure('advantage')).toHaveText(writtenSigned(answer.advantage));
  });

  await test.step('earlier iterations can still be read', async () => {
    await page.getByRole('slider').fill('0');
    await expect(page.locator('label[for="iteration-scrubber"]')).toHaveText('Iteration 1');
    const first = episodes.find(({ iteration, episode }) => iteration === 1 && episode === best?.episode);
    await expect(page.getByTestId('episode')).toContainText(first?.question ?? '');
  });
});

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
}
