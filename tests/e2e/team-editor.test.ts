import type { Page } from '@playwright/test';
import { violations } from './axe.ts';
import { expect, test, sticksOut } from './playground.ts';

const CUT = 'Cut reasoner → solver';

/** A cell of the D matrix, in step with the graph. */
const hears = (page: Page) => page.getByRole('button', { name: 'solver hears reasoner' });

test('an arrow is cut and drawn again by dragging, with D in step', async ({ playground, page }) => {
  await playground.open();
  const graph = page.getByTestId('team-graph');
  // A straight line has a box without width, which Playwright takes for hidden.
  const line = await graph.locator('.svelte-flow__edge[data-id="0-1"] .svelte-flow__edge-path').evaluate((path) => {
    path.scrollIntoView({ block: 'center' });
    const { x, y, width, height } = path.getBoundingClientRect();
    return { x: x + width / 2, y: y + height / 2 };
  });
  await page.mouse.click(line.x, line.y);
  await graph.getByRole('button', { name: CUT }).click();
  await expect(hears(page)).toHaveAttribute('aria-pressed', 'false');
  await expect(graph.locator('[data-id="0-1"]')).toHaveCount(0);

  await graph.locator('[data-tell="0"]').dragTo(graph.locator('[data-hear="1"]'));
  await expect(hears(page)).toHaveAttribute('aria-pressed', 'true');
  await expect(graph.locator('[data-id="0-1"]')).toHaveCount(1);
});

test('an arrow that closes a circle is refused with the reason', async ({ playground, page }) => {
  await playground.open();
  await page.getByLabel('Team template').selectOption('trio');
  await page.getByTestId('team-graph').locator('[data-tell="1"]').dragTo(page.getByTestId('team-graph').locator('[data-hear="0"]'));
  await expect(page.locator('.refusal').first()).not.toBeEmpty();
  await expect(page.getByRole('button', { name: 'reasoner hears solver' })).toHaveAttribute('aria-pressed', 'false');
});

test('arrows by keyboard: in the graph, and as a list of whom an agent hears', async ({ playground, page }) => {
  await playground.open();
  const graph = page.getByTestId('team-graph');
  await graph.locator('.svelte-flow__edge[data-id="0-1"]').focus();
  await page.keyboard.press('Delete');
  await expect(hears(page)).toHaveAttribute('aria-pressed', 'false');
  await expect(graph.locator('[data-tell="0"]')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(graph.locator('[data-hear="1"]')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(hears(page)).toHaveAttribute('aria-pressed', 'true');

  await page.getByRole('button', { name: 'Edit solver' }).focus();
  await page.keyboard.press('Enter');
  const settings = page.getByTestId('agent-inspector');
  await expect(settings.getByRole('heading', { name: 'Settings of solver' })).toBeFocused();
  await settings.getByRole('checkbox', { name: 'reasoner' }).focus();
  await page.keyboard.press('Space');
  await expect(hears(page)).toHaveAttribute('aria-pressed', 'false');
  await settings.getByRole('button', { name: 'Close' }).press('Enter');
  await expect(page.getByRole('button', { name: 'Edit solver' })).toBeFocused();
});

test('an agent joins, is moved and leaves', async ({ playground, page }) => {
  await playground.open();
  const agents = page.getByTestId('team-graph').getByRole('button', { name: /^Settings of/ });
  await page.getByRole('button', { name: 'Add an agent' }).click();
  await expect(agents).toHaveText(['reasoner', 'helper', 'solver']);
  await expect(page.getByRole('heading', { name: 'Settings of helper' })).toBeVisible();
  await page.getByRole('button', { name: 'Move helper up' }).click();
  await expect(agents).toHaveText(['helper', 'reasoner', 'solver']);
  await page.getByRole('button', { name: 'Remove helper' }).click();
  await expect(agents).toHaveText(['reasoner', 'solver']);
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`a prompt is edited and read as the agent will read it, and axe finds nothing, ${colorScheme}`, async ({ playground, page }) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: 390, height: 900 });
    await playground.open();
    await page.getByTestId('team-graph').getByRole('button', { name: 'Settings of solver' }).click();
    const settings = page.getByTestId('agent-inspector');
    await settings.getByText('The prompt as it is read').click();
    const preview = page.getByTestId('prompt-preview');
    await expect(preview).toContainText('<|im_start|>system\nYou are the solver.<|im_end|>');
    await expect(preview).toContainText('reasoner: (what reasoner says)');
    await settings.getByRole('textbox', { name: 'Profile of solver' }).fill('You add <b>well</b>.');
    await expect(preview).toContainText('You add <b>well</b>.<|im_end|>');

    await settings.getByRole('spinbutton', { name: 'Temperature' }).fill('9');
    await settings.getByRole('spinbutton', { name: 'Temperature' }).blur();
    await expect(settings.getByRole('alert')).toContainText('temperature');
    await expect(settings.getByRole('spinbutton', { name: 'Temperature' })).toHaveValue('1');
    expect(await violations(page)).toEqual([]);
    expect(await sticksOut(page)).toEqual([]);
  });
}
