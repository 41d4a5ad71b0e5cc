import { expect, test } from '@playwright/test';

test('a software adapter is never chosen by itself', async ({ page }) => {
  await page.goto('./');
  const badge = page.getByRole('button', { name: /Backend:/ });
  await expect(badge).toContainText('WASM');
  await badge.click();
  await expect(page.getByTestId('backend-reason')).toContainText('emulated in software');
});

test('it is taken when the address asks for it', async ({ page }) => {
  await page.goto('./?backend=webgpu');
  const badge = page.getByRole('button', { name: /Backend:/ });
  await expect(badge).toContainText('WebGPU');
  await badge.click();
  await expect(page.getByTestId('backend-reason')).toContainText('far slower than WASM');
});
