import { expect, test } from '../e2e/playground.ts';

test('the page trains on WebGPU when it is asked to, without an error', async ({ playground, page }) => {
  await playground.open('./?backend=webgpu');
  await playground.preset.selectOption('micro-addition');
  await playground.oneIteration.click();
  await expect(playground.iteration).toHaveText('1', { timeout: 200_000 });
  await expect(page.getByRole('button', { name: /Backend:/ })).toContainText('WebGPU');
  await expect(page.getByTestId('episode')).toBeVisible();
  const { metrics } = await playground.downloadRun();
  expect(metrics.at(-1)?.['reward/mean']).toBeGreaterThanOrEqual(0);
});
