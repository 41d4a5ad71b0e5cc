/** What training does to the screen, and that it needs nobody to look at it. */
import type { Page } from '@playwright/test';
import { expect, test } from './playground.ts';

/** Puts a screen lock into the page that counts what is held. */
async function withScreenLock(page: Page, refuses: boolean): Promise<() => Promise<number>> {
  await page.addInitScript((refused) => {
    const held = new Set<object>();
    Object.assign(window, { screenLocks: held });
    const request = (): Promise<object> => {
      if (refused) return Promise.reject(new DOMException('refused', 'NotAllowedError'));
      const lock = { released: false, release: () => Promise.resolve(void (held.delete(lock), (lock.released = true))) };
      held.add(lock);
      return Promise.resolve(lock);
    };
    Object.defineProperty(navigator, 'wakeLock', { value: { request } });
  }, refuses);
  return () => page.evaluate(() => (window as unknown as { screenLocks: Set<object> }).screenLocks.size);
}

test('the screen stays on while a team trains, and no longer', async ({ playground, page }) => {
  const locks = await withScreenLock(page, false);
  await playground.open();
  expect(await locks()).toBe(0);
  await playground.preset.selectOption('micro-addition');
  await playground.set(playground.iterations, 500);
  await playground.train.click();
  await expect.poll(locks).toBe(1);
  await playground.pause.click();
  await expect(playground.status).toContainText('Paused');
  await expect.poll(locks).toBe(0);
});

test('the screen stays on while a sweep trains, and no longer', async ({ playground, page }) => {
  const locks = await withScreenLock(page, false);
  await playground.open();
  await page.getByRole('button', { name: 'Runs', exact: true }).click();
  await page.getByRole('button', { name: 'Sweeps', exact: true }).click();
  await page.getByLabel('Start from').selectOption('micro-addition');
  await page.getByLabel('Setting 1', { exact: true }).fill('algorithm.learningRate');
  await page.getByLabel('Values 1').fill('0.001, 0.01');
  await page.getByLabel('Seeds', { exact: true }).fill('1');
  await page.getByRole('button', { name: 'Start the sweep' }).last().click();
  await expect.poll(locks).toBe(1);
  await expect(page.getByTestId('sweep').getByTestId('sweep-state')).toHaveText('Done');
  await expect.poll(locks).toBe(0);
});

test('a screen that may not be kept on is no trouble', async ({ playground, page }) => {
  await withScreenLock(page, true);
  await playground.open();
  await playground.preset.selectOption('micro-addition');
  await playground.train.click();
  await expect(playground.status).toHaveText('Finished');
  await expect(playground.trouble).toHaveCount(0);
});

test('training goes on in a tab that is hidden and never drawn', async ({ playground, page }) => {
  // A hidden tab gets no animation frames.
  await page.addInitScript(() => {
    let hidden = false;
    const draw = window.requestAnimationFrame.bind(window);
    Object.defineProperty(document, 'visibilityState', { get: () => (hidden ? 'hidden' : 'visible') });
    Object.defineProperty(document, 'hidden', { get: () => hidden });
    window.requestAnimationFrame = (callback) => (hidden ? 0 : draw(callback));
    addEventListener('hide-the-tab', () => {
      hidden = true;
      document.dispatchEvent(new Event('visibilitychange'));
    });
  });
  await playground.open();
  await playground.preset.selectOption('micro-addition');
  await playground.set(playground.iterations, 6);
  await playground.oneIteration.click();
  await expect(playground.iteration).toHaveText('1');
  await page.evaluate(() => dispatchEvent(new Event('hide-the-tab')));
  await playground.train.dispatchEvent('click');
  await expect(playground.status).toHaveText('Finished');
  await expect(playground.iteration).toHaveText('6');
});
