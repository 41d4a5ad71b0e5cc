/** Large type for a projector. */
import type { Page } from '@playwright/test';
import { violations } from './axe.ts';
import { expect, sticksOut, test } from './playground.ts';

const typeSize = (page: Page): Promise<number> => page.evaluate(() => parseFloat(getComputedStyle(document.documentElement).fontSize));
const curveSize = (page: Page): Promise<number> => page.locator('[data-chart="reward"] canvas').evaluate((canvas) => canvas.getBoundingClientRect().height);

test('presenting makes type and curves large, puts settings away, is remembered, and Escape leaves it', async ({ playground, page }) => {
  await playground.open();
  const toggle = page.getByRole('button', { name: 'Present' });
  const adapters = page.getByRole('heading', { name: 'Adapters' });
  await expect(page.locator('[data-chart="reward"] canvas')).toBeVisible();
  await expect(adapters).toBeVisible();
  const [type, curve] = [await typeSize(page), await curveSize(page)];

  await toggle.focus();
  await page.keyboard.press('Enter');
  await expect(toggle).toHaveAttribute('aria-pressed', 'true');
  await expect(adapters).toBeHidden();
  expect(await typeSize(page)).toBeGreaterThan(1.3 * type);
  await expect.poll(() => curveSize(page)).toBeGreaterThan(1.3 * curve);

  await page.reload();
  expect(await typeSize(page)).toBeGreaterThan(1.3 * type);
  await expect(toggle).toHaveAttribute('aria-pressed', 'true');
  await page.keyboard.press('Escape');
  await expect(toggle).toHaveAttribute('aria-pressed', 'false');
  await expect(adapters).toBeVisible();
  expect(await typeSize(page)).toBe(type);
  await expect.poll(() => curveSize(page)).toBe(curve);
  await page.reload();
  expect(await typeSize(page)).toBe(type);
});

test('it fills the screen where it may, and giving the screen back ends it', async ({ playground, page }) => {
  await playground.open();
  const toggle = page.getByRole('button', { name: 'Present' });
  const fills = (): Promise<boolean> => page.evaluate(() => document.fullscreenElement !== null);
  await toggle.click();
  await expect.poll(fills).toBe(true);
  await page.evaluate(() => document.exitFullscreen());
  await expect(toggle).toHaveAttribute('aria-pressed', 'false');
  await toggle.click();
  await expect.poll(fills).toBe(true);
  await toggle.click();
  await expect.poll(fills).toBe(false);
});

test('where the screen may not be filled, type is large all the same', async ({ playground, page }) => {
  await page.addInitScript(() => {
    Element.prototype.requestFullscreen = () => Promise.reject(new TypeError('not allowed'));
  });
  await playground.open();
  const toggle = page.getByRole('button', { name: 'Present' });
  await toggle.click();
  await expect(toggle).toHaveAttribute('aria-pressed', 'true');
});

test('Escape closes a dialog first', async ({ playground, page }) => {
  await playground.open();
  const toggle = page.getByRole('button', { name: 'Present' });
  await toggle.click();
  await page.getByRole('button', { name: 'Share' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
  await expect(toggle).toHaveAttribute('aria-pressed', 'true');
});

for (const width of [390, 1440, 1920]) {
  for (const colorScheme of ['light', 'dark'] as const) {
    test(`presenting leaves nothing for axe to find and stays inside ${width} px, ${colorScheme}`, async ({ playground, page }) => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      await playground.open();
      await playground.preset.selectOption('micro-addition');
      await page.getByRole('button', { name: 'Present' }).click();
      await expect(playground.preset).toBeHidden();
      await playground.oneIteration.click();
      await expect(playground.iteration).toHaveText('1');
      expect(await sticksOut(page)).toEqual([]);
      await page.getByRole('button', { name: 'Lessons' }).click();
      await expect(page.getByRole('complementary', { name: 'Team' })).toBeVisible();
      expect(await sticksOut(page)).toEqual([]);
      expect(await violations(page)).toEqual([]);
    });
  }
}
