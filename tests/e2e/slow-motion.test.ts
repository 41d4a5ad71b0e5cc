import { expect, test } from './playground.ts';

test('one stage at a time, with what is known by then', async ({ playground, page }) => {
  await playground.open();
  await playground.preset.selectOption('micro-addition');
  const oneStage = page.getByRole('button', { name: 'One stage' });
  const note = page.getByTestId('stage-note');
  const done = async (label: string): Promise<void> => {
    await oneStage.click();
    await expect(note).toContainText(`Done: ${label}.`);
  };

  await done('Play');
  await expect(playground.status).toHaveText('Waiting in the middle of an iteration');
  // Said, but neither judged nor valued yet.
  await expect(playground.token(1, 0)).toBeVisible();
  await done('Judge');
  await done('Score');
  await expect(page.getByRole('group', { name: 'Colour tokens by' }).getByRole('button', { name: 'Log-prob' })).toHaveAttribute('aria-pressed', 'true');
  await done('Value');
  await done('Credit');
  await done('Critic');
  await expect(playground.iteration).toHaveText('0');

  await page.getByRole('button', { name: 'Finish iteration' }).click();
  await expect(playground.iteration).toHaveText('1');
  await expect(note).toBeHidden();
  await expect(playground.status).toContainText('Paused');

  // What slow motion computes is what any other iteration computes.
  await playground.oneIteration.click();
  await expect(playground.iteration).toHaveText('2');
  const slow = await playground.downloadRun();
  await playground.train.click();
  await expect(playground.status).toHaveText('Finished');
  expect((await playground.downloadRun()).episodes).toEqual(slow.episodes);

  // Reset does not wait for somebody to go on.
  await playground.reset.click();
  await expect(playground.iteration).toHaveText('0');
  await done('Play');
  await playground.reset.click();
  await expect(playground.iteration).toHaveText('0');
  await expect(note).toBeHidden();
});
