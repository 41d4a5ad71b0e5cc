import { violations } from './axe.ts';
import { expect, test, sticksOut } from './playground.ts';

for (const colorScheme of ['light', 'dark'] as const) {
  test(`nothing for axe to find, ${colorScheme}`, async ({ playground, page }) => {
    await page.emulateMedia({ colorScheme });
    await playground.open();
    expect(await violations(page)).toEqual([]);

    await playground.preset.selectOption('micro-addition');
    await playground.oneIteration.click();
    await expect(playground.iteration).toHaveText('1');
    await page.locator('[data-chart="kl"]').getByText('Show as table').click();
    await page.getByText('What reasoner was shown').click();
    await page.getByRole('button', { name: /Backend:/ }).click();
    await page.getByRole('button', { name: 'none', exact: true }).click();
    for (const channel of ['Value', 'Log-prob', 'Entropy', 'KL to base', 'Advantage']) {
      await page.getByRole('group', { name: 'Colour tokens by' }).getByRole('button', { name: channel }).click();
      expect(await violations(page), channel).toEqual([]);
    }
  });
}

for (const width of [390, 768, 1440, 3840]) {
  test(`nothing sticks out at a width of ${width} px`, async ({ playground, page }) => {
    await page.setViewportSize({ width, height: 900 });
    await playground.open();
    await playground.preset.selectOption('micro-addition');
    await playground.oneIteration.click();
    await expect(playground.iteration).toHaveText('1');
    expect(await sticksOut(page)).toEqual([]);
  });
}
