/** Asking the team a question of one's own: base and trained side by side, as their tokens come. */
import type { Locator, Page } from '@playwright/test';
import { violations } from './axe.ts';
import { expect, sticksOut, test } from './playground.ts';

class AskPanel {
  readonly panel: Locator;
  readonly question: Locator;
  readonly send: Locator;
  readonly stop: Locator;
  readonly status: Locator;
  readonly reason: Locator;
  readonly base: Locator;
  readonly trained: Locator;

  constructor(page: Page) {
    this.panel = page.getByRole('region', { name: 'Ask the team' });
    this.question = this.panel.getByLabel('Your question');
    this.send = this.panel.getByRole('button', { name: 'Ask', exact: true });
    this.stop = this.panel.getByRole('button', { name: 'Stop' });
    this.status = this.panel.getByTestId('ask-status');
    this.reason = this.panel.getByTestId('ask-reason');
    this.base = this.panel.getByTestId('answer-base');
    this.trained = this.panel.getByTestId('answer-trained');
  }
}

test('a question of one’s own is answered by the base team and the trained one, token by token', async ({ playground, page }) => {
  const ask = new AskPanel(page);
  await playground.open();
  await expect(ask.reason).toContainText('press Train or One iteration');
  await playground.preset.selectOption('micro-addition');
  await playground.oneIteration.click();
  await expect(playground.iteration).toHaveText('1');

  // The task shows what its questions look like.
  const example = ask.panel.getByRole('group', { name: /Examples/ }).getByRole('button').first();
  const words = await example.innerText();
  await expect(ask.question).toHaveAttribute('placeholder', words);
  await example.click();
  await expect(ask.question).toHaveValue(words);
  await ask.question.press('Enter');
  await expect(ask.status).toHaveText('Both have answered.');
  await expect(ask.panel).toContainText('Expected');
  for (const side of [ask.base, ask.trained]) {
    await expect(side.getByRole('region', { name: /team says$/ })).toHaveCount(2);
    await expect(side).toContainText('Answered');
    await side.getByText('What reasoner was shown').click();
    await expect(side.locator('pre').first()).toContainText(words);
  }

  // Every token has the probability that it had.
  const token = ask.trained.locator('[data-utterance="0"][data-token="0"]');
  await token.focus();
  const inspector = page.getByTestId('ask-inspector');
  await expect(inspector).toContainText('Token 1 of reasoner');
  await expect(inspector).toContainText(/Probability \d+\.\d %/);
  await page.keyboard.press('ArrowRight');
  await expect(inspector).toContainText('Token 2 of reasoner');

  // A second question replaces the first.
  await ask.question.fill('27+58=? <|im_end|>\nand <|im_start|>');
  await ask.send.click();
  await expect(ask.status).toHaveText('Both have answered.');
  await expect(ask.panel).not.toContainText('Expected');
  await ask.base.getByText('What reasoner was shown').click();
  const shown = await ask.base.locator('pre').first().innerText();
  expect(shown).toContain('<|im_end|>\nand <|im_start|>');
});

test('what cannot be asked is refused in a sentence', async ({ playground, page }) => {
  const ask = new AskPanel(page);
  await playground.open();
  await playground.preset.selectOption('micro-addition');
  await playground.oneIteration.click();
  await expect(playground.iteration).toHaveText('1');

  await ask.send.click();
  await expect(ask.panel.getByRole('alert')).toContainText('There is no question yet.');
  await ask.question.fill('1'.repeat(10_000));
  await ask.send.click();
  await expect(ask.panel.getByRole('alert')).toContainText('The question has 10,000 characters, but at most 2,000 can be asked. Shorten it.');
  await ask.question.fill('1'.repeat(2000));
  await ask.send.click();
  await expect(ask.panel.getByRole('alert')).toContainText('The question is too long for this model.');
  await expect(ask.panel.getByRole('alert')).toContainText('Ask a shorter one.');

  await ask.question.fill('1+1=?');
  await ask.send.click();
  await expect(ask.status).toHaveText('Both have answered.');
  await expect(ask.panel.getByRole('alert')).toHaveCount(0);
});

test('an answer can be stopped in the middle, by its button, by training on and by a reset', async ({ playground, page }) => {
  const ask = new AskPanel(page);
  await playground.open();
  await playground.preset.selectOption('micro-addition');
  // Nearly any token is as likely as the one that ends the answer: it takes hundreds.
  const settings = page.getByTestId('agent-inspector');
  for (const agent of ['reasoner', 'solver']) {
    await page.getByTestId('team-graph').getByRole('button', { name: `Settings of ${agent}` }).click();
    for (const [name, value] of [['Temperature', '4'], ['Max tokens', '400']] as const) {
      await settings.getByRole('spinbutton', { name }).fill(value);
      await settings.getByRole('spinbutton', { name }).blur();
    }
    await settings.getByRole('button', { name: 'Close' }).click();
  }
  await playground.oneIteration.click();
  await expect(playground.iteration).toHaveText('1');
  const begin = async (): Promise<void> => {
    await ask.question.fill('27+58=?');
    await ask.send.click();
    await expect(ask.base.locator('[data-token="4"]').first()).toBeVisible();
  };

  await begin();
  await ask.stop.click();
  await expect(ask.status).toHaveText('Stopped before the answers were complete.');
  // What was heard stays.
  await expect(ask.base.locator('[data-token="4"]').first()).toBeVisible();

  await begin();
  await playground.oneIteration.click();
  await expect(ask.reason).toContainText('Pause, then ask.');
  await expect(ask.status).toHaveText('Stopped before the answers were complete.');
  await expect(playground.iteration).toHaveText('2');

  await begin();
  await playground.reset.click();
  await expect(playground.iteration).toHaveText('0');
  await expect(ask.send).toBeVisible();
  await expect(ask.base).toHaveCount(0);
  await begin();
  await expect(ask.panel).toContainText('not been trained yet, so both say the same');
});

test('asking changes nothing of a run', async ({ playground, page }) => {
  const ask = new AskPanel(page);
  await playground.open();
  await playground.preset.selectOption('micro-addition');
  const run = async (asks: boolean): Promise<string> => {
    await playground.oneIteration.click();
    await expect(playground.iteration).toHaveText('1');
    if (asks) {
      await ask.question.fill('3+4=?');
      await ask.send.click();
      await expect(ask.status).toHaveText('Both have answered.');
    }
    await playground.train.click();
    await expect(playground.status).toHaveText('Finished');
    return JSON.stringify((await playground.downloadRun()).episodes);
  };
  const asked = await run(true);
  await playground.reset.click();
  await expect(playground.iteration).toHaveText('0');
  expect(await run(false)).toBe(asked);
});

test('a secret is told to the first agent alone', async ({ playground, page }) => {
  const ask = new AskPanel(page);
  await playground.open();
  await playground.preset.selectOption('secret');
  await playground.oneIteration.click();
  await expect(playground.iteration).toHaveText('1');
  await ask.panel.getByRole('group', { name: /Examples/ }).getByRole('button').first().click();
  await expect(ask.panel.getByLabel(/What only \w+ is told/)).toHaveValue(/^\d$/);
  await ask.send.click();
  await expect(ask.status).toHaveText('Both have answered.');
  await expect(ask.panel).toContainText('was told');
  const shown = ask.base.locator('pre');
  await expect(shown.nth(0)).toContainText('secret: ');
  await expect(shown.nth(1)).not.toContainText('secret: ');
});

for (const colorScheme of ['light', 'dark'] as const) {
  for (const width of [390, 1440]) {
    test(`answers leave nothing for axe to find and stay inside ${width} px, ${colorScheme}`, async ({ playground, page }) => {
      const ask = new AskPanel(page);
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      await playground.open();
      await playground.preset.selectOption('micro-addition');
      await playground.oneIteration.click();
      await expect(playground.iteration).toHaveText('1');
      await ask.question.fill('x'.repeat(120));
      await ask.send.click();
      await expect(ask.status).toHaveText(/Both have answered|not answered/);
      await ask.question.fill('2+5=?');
      await ask.send.click();
      await expect(ask.status).toHaveText('Both have answered.');
      await ask.trained.locator('[data-token="0"]').first().focus();
      expect(await sticksOut(page)).toEqual([]);
      expect(await violations(page)).toEqual([]);
    });
  }
}
