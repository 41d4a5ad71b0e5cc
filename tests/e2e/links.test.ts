/** Links and files that carry experiments: made on one page, opened on another, where nothing happens before somebody asks for it. */
import type { Browser, BrowserContext, Locator, Page } from '@playwright/test';
import { deflateSync } from 'fflate';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { encodeLink } from '../../src/experiment/link/link.ts';
import type { LinkParts, SharedResults } from '../../src/experiment/link/parts.ts';
import { writeShareFile } from '../../src/experiment/link/share-file.ts';
import { applyOverrides } from '../../src/experiment/overrides.ts';
import { presetByName } from '../../src/experiment/presets.ts';
import type { Experiment } from '../../src/experiment/schema.ts';
import { violations } from './axe.ts';
import { expect, test, sticksOut, PlaygroundPage, WORKER_BLOCKED } from './playground.ts';

const SMALLEST = 'micro-addition';
const LINKS = new URL('../links/', import.meta.url);
/** Where the pages lie that embed this one. */
const EMBEDDING_PORT = 41_844;

/** What only training or judging needs: the trainer, ONNX Runtime, models, interpreters. */
const STARTED = /\/(ort|models)\/|\.wasm$|trainer|quickjs|pyodide/;

const micro = (...changes: string[]): Experiment => applyOverrides(presetByName(SMALLEST), changes);
const cardOf = (page: Page): Locator => page.getByTestId('shared-card');
const shareDialog = (page: Page): Locator => page.getByRole('dialog', { name: 'Share' });

/** A browser that has never seen the page, and all that is asked for in it. */
async function stranger(browser: Browser, serviceWorkers: 'allow' | 'block' = 'allow'): Promise<{ context: BrowserContext; page: Page; requests: string[]; complaints: string[] }> {
  const context = await browser.newContext({ serviceWorkers });
  const page = await context.newPage();
  const requests: string[] = [];
  const complaints: string[] = [];
  context.on('request', (request) => requests.push(request.url()));
  page.on('console', (message) => {
    const blocked = serviceWorkers === 'block' && message.text().includes(WORKER_BLOCKED);
    if ((message.type() === 'error' || message.type() === 'warning') && !blocked) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  return { context, page, requests, complaints };
}

async function trainMicro(playground: PlaygroundPage): Promise<void> {
  await playground.open();
  await playground.preset.selectOption(SMALLEST);
  await playground.train.click();
  await expect(playground.status).toHaveText('Finished');
}

async function openShare(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await expect(shareDialog(page)).toBeVisible();
  return shareDialog(page);
}

function linkOf(document: unknown): string {
  return `x=${Buffer.from(deflateSync(new TextEncoder().encode(JSON.stringify(document)))).toString('base64url')}`;
}

async function paste(page: Page, link: string): Promise<void> {
  await page.evaluate((fragment) => (location.hash = fragment), link);
}

async function drop(page: Page, name: string, text: string): Promise<void> {
  const transfer = await page.evaluateHandle(
    ([file, content]) => {
      const data = new DataTransfer();
      data.items.add(new File([content ?? ''], file ?? '', { type: 'application/json' }));
      return data;
    },
    [name, text],
  );
  await page.dispatchEvent('main', 'dragover', { dataTransfer: transfer });
  await page.dispatchEvent('main', 'drop', { dataTransfer: transfer });
}

/** Results that no run has. */
const RESULTS: SharedResults = { b: 'wasm', n: 2, x: [1, 2], y: [0.25, 0.5], h: [], f: '0123456789abcdef' };

test('a run is shared by link, starts nothing where it is opened, and comes out identical when it is done again', async ({ playground, page, browser, baseURL }) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await trainMicro(playground);
  const dialog = await openShare(page);
  await expect(dialog.getByRole('checkbox', { name: /Results of the run/ })).toBeChecked();
  await expect(dialog.getByRole('img', { name: 'QR code of the link' })).toBeVisible();
  await dialog.getByRole('button', { name: 'Copy link' }).click();
  await expect(page.getByTestId('share-news')).toHaveText('Link copied.');
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(link).toContain('#x=');

  const other = await stranger(browser);
  const there = new PlaygroundPage(other.page);
  await other.page.goto(link);
  const card = cardOf(other.page);
  await expect(card).toContainText('It starts from the preset The smallest run and changes nothing.');
  await expect(card).toContainText('It downloads nothing: all it needs comes with the page.');
  await expect(card).toContainText('It carries no code.');
  await expect(card).toContainText('Shared results: 2 iterations on WASM');
  await other.page.waitForLoadState('networkidle');
  expect(other.requests.filter((url) => !url.startsWith(baseURL ?? ''))).toEqual([]);
  expect(other.requests.filter((url) => STARTED.test(url)), 'before anybody asked for it').toEqual([]);
  expect(other.page.workers()).toEqual([]);
  expect(other.context.serviceWorkers(), 'which would fetch models ahead').toEqual([]);
  await expect(there.preset).toHaveValue('duo-addition');

  await card.getByRole('button', { name: 'Reproduce' }).click();
  await expect(there.status).toHaveText('Finished');
  await expect(other.page.getByTestId('agreement')).toHaveText(/^Identical: all figures of all iterations/);
  await expect(other.page.locator('[data-chart="reward"]')).toContainText('Shared');
  await expect(other.page.locator('[data-chart="kl"]')).toBeVisible();
  expect(other.requests.some((url) => STARTED.test(url)), 'the control: training needs them').toBe(true);
  expect(other.requests.filter((url) => !url.startsWith(baseURL ?? '') && !url.startsWith('blob:'))).toEqual([]);
  await other.page.getByRole('button', { name: 'Put the shared results aside' }).click();
  await expect(card).toBeHidden();
  expect(new URL(other.page.url()).hash).toBe('');
  expect(other.complaints).toEqual([]);
  await other.context.close();
});

test('a link pasted into the open page says what it changes, and changes it when asked', async ({ playground, page }) => {
  await playground.open();
  await page.getByRole('button', { name: 'Runs', exact: true }).click();
  await paste(page, encodeLink(micro('seed=7', 'algorithm.method=ippo')));
  const card = cardOf(page);
  await expect(card).toContainText('changes 2 settings');
  await expect(card.getByRole('listitem').filter({ hasText: 'algorithm.method' })).toHaveText('algorithm.method: marft → ippo');
  await expect(playground.seed).toHaveValue('1');
  await card.getByRole('button', { name: 'Use these settings' }).click();
  await expect(playground.preset).toHaveValue(SMALLEST);
  await expect(playground.seed).toHaveValue('7');
  await playground.oneIteration.click();
  await expect(playground.iteration).toHaveText('1');
  expect((await playground.downloadRun()).experiment).toEqual(micro('seed=7', 'algorithm.method=ippo'));

  await paste(page, encodeLink(presetByName('gsm8k')));
  await expect(card).toContainText('Downloads: The model Qwen/Qwen2.5-0.5B-Instruct from the Hugging Face Hub');
  await expect(card).toContainText('Downloads: Problems from the Hugging Face Hub: GSM8K');
  await card.getByRole('button', { name: 'No, thank you' }).click();
  await expect(card).toBeHidden();
  await expect(playground.preset).toHaveValue(SMALLEST);
});

test('what cannot be opened is a sentence, and the page goes on', async ({ playground, page }) => {
  await playground.open(`./#${encodeLink(micro(), { results: RESULTS }).slice(0, -9)}`);
  const trouble = page.getByTestId('share-trouble');
  await expect(trouble).toContainText('The link is damaged or incomplete. Copy it again, whole.');
  await paste(page, linkOf({ v: 3, p: SMALLEST }));
  await expect(trouble).toContainText('The link was made by a newer release (version 3 of the format; this one reads 2).');
  await paste(page, linkOf({ v: 2, p: SMALLEST, s: { seed: -1 } }));
  await expect(trouble).toContainText('seed');
  await drop(page, 'holiday.json', '{"format": "photos"}');
  await expect(trouble).toContainText('This file is no shared experiment, or it is damaged.');
  await trouble.getByRole('button', { name: 'Go on without it' }).click();
  await expect(trouble).toBeHidden();
  await playground.preset.selectOption(SMALLEST);
  await playground.oneIteration.click();
  await expect(playground.iteration).toHaveText('1');
});

test('the same as a file, chosen or dropped on the page', async ({ playground, page }) => {
  await trainMicro(playground);
  const dialog = await openShare(page);
  await dialog.getByRole('checkbox', { name: /What the agents learned/ }).check();
  const waiting = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Download .marft.json' }).click();
  const saved = await waiting;
  expect(saved.suggestedFilename()).toBe('micro-addition.marft.json');
  const text = await readFile(await saved.path(), 'utf8');

  await dialog.getByLabel('Open a file').setInputFiles({ name: 'shared.marft.json', mimeType: 'application/json', buffer: Buffer.from(text) });
  await expect(dialog).toBeHidden();
  const card = cardOf(page);
  await expect(card).toContainText('It brings what these agents learned: reasoner, solver.');
  await card.getByRole('button', { name: 'Go on from what they learned' }).click();
  await expect(playground.iteration).toHaveText('0');
  await expect(playground.status).toHaveText('Ready');
  await playground.oneIteration.click();
  await expect(playground.iteration).toHaveText('1');
  await expect(page.getByTestId('share-trouble')).toBeHidden();

  await page.getByRole('button', { name: 'Put the shared results aside' }).click();
  await drop(page, 'dropped.marft.json', text);
  await card.getByRole('button', { name: 'Reproduce' }).click();
  await expect(page.getByTestId('agreement')).toHaveText(/^Identical/);
});

test('what is shared can be opened and trained within a page of somebody else', async ({ playground, page, browser }) => {
  await trainMicro(playground);
  const dialog = await openShare(page);
  const snippet = await dialog.getByRole('textbox', { name: 'HTML to embed' }).inputValue();
  const server = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end(`<!doctype html><title>Course</title><h1>Course</h1>${snippet}`));
  await new Promise<void>((resolve) => server.listen(EMBEDDING_PORT, '127.0.0.1', resolve));
  const other = await stranger(browser);
  try {
    await other.page.goto(`http://127.0.0.1:${EMBEDDING_PORT}/`);
    const frame = other.page.frameLocator('iframe');
    await frame.getByRole('button', { name: 'Reproduce' }).click();
    await expect(frame.getByTestId('agreement')).toHaveText(/^Identical/);
    expect(other.complaints).toEqual([]);
  } finally {
    await other.context.close();
    server.close();
  }
});

test('a teacher’s link: a task, a target, hidden and locked parts, and a code that a class has in common', async ({ playground, page, browser }) => {
  await playground.open();
  await playground.preset.selectOption(SMALLEST);
  const dialog = await openShare(page);
  await dialog.getByText('For a class').click();
  await dialog.getByLabel('Task').fill('Change only who hears whom.\n<b>Then train.</b>');
  await dialog.getByLabel('Target').selectOption('training');
  await dialog.getByLabel('of at least').fill('0');
  await dialog.getByLabel('Only who hears whom (D) can be changed').check();
  for (const part of ['Presets', 'Transcripts', 'Adapters', 'Runs', 'Lessons', 'One iteration, one stage']) await dialog.getByRole('group', { name: 'Hide' }).getByLabel(part, { exact: true }).check();
  const code = await page.getByTestId('made-code').textContent();
  expect(code).toMatch(/^[A-HJKMNP-Z2-9]{6}$/);
  const link = await dialog.getByRole('textbox', { name: 'Link', exact: true }).inputValue();

  const students = [await stranger(browser), await stranger(browser)];
  for (const { page: desk } of students) {
    await desk.goto(link);
    await expect(cardOf(desk)).toContainText(`It sets a task, and may hide or lock parts of the page until you leave it. Class code: ${code}.`);
    await cardOf(desk).getByRole('button', { name: 'Use these settings' }).click();
    await expect(desk.getByTestId('class-code')).toHaveText(code ?? '');
  }
  const [student] = students;
  if (!student) throw new Error('nobody came');
  const there = new PlaygroundPage(student.page);
  const card = cardOf(student.page);
  await expect(card).toContainText('Change only who hears whom.\n<b>Then train.</b>', { useInnerText: true });
  await expect(there.preset).toBeHidden();
  await expect(there.oneIteration).toBeHidden();
  await expect(student.page.getByRole('button', { name: 'Lessons' })).toBeHidden();
  await expect(student.page.getByRole('navigation', { name: 'Parts of the page' })).toBeHidden();
  await expect(student.page.getByRole('heading', { name: 'What they said, token by token' })).toBeHidden();

  await there.set(there.seed, 5);
  await expect(card).toContainText('seed is locked in this task. Change something else, or leave the task.');
  await expect(there.seed).toHaveValue('1');
  await expect(student.page.getByTestId('target')).toHaveText('Target: 0 % in training.');
  await there.train.click();
  await expect(student.page.getByTestId('target')).toContainText('Reached, with');
  await expect(there.status).toHaveText('Finished');

  await card.getByRole('button', { name: 'Leave the task' }).click();
  await expect(card).toBeHidden();
  await expect(there.preset).toBeVisible();
  await there.set(there.seed, 5);
  await expect(there.seed).toHaveValue('5');
  expect(new URL(student.page.url()).hash).toBe('');
  for (const { context, complaints } of students) {
    expect(complaints).toEqual([]);
    await context.close();
  }
});

test('code in a link is shown, and runs only after it has been allowed', async ({ browser, baseURL }) => {
  const code = 'function reward({ answer }) {\n  return answer.length < 3 ? 1 : 0.5;\n}';
  const experiment = { ...micro(), task: { ...micro().task, reward: { code } } };
  // One would fetch the interpreter ahead, like all else of the page.
  const { context, page, requests, complaints } = await stranger(browser, 'block');
  const ran = (): string[] => requests.filter((url) => /emscripten|quickjs/i.test(url));
  await page.goto(`${baseURL}#${encodeLink(experiment, { results: RESULTS })}`);
  const card = cardOf(page);
  await expect(card).toContainText('It carries code that decides the team’s reward.');
  await card.getByText('Read the code').click();
  await expect(card.getByRole('region', { name: 'Code that was shared' })).toHaveText(code);
  expect(await violations(page)).toEqual([]);

  await card.getByRole('button', { name: 'Reproduce' }).click();
  const consent = page.getByRole('dialog', { name: 'This experiment brings code' });
  await expect(consent.getByRole('region', { name: 'Code of the reward' })).toHaveText(code);
  await consent.getByRole('button', { name: 'Do not run it' }).click();
  await expect(consent).toBeHidden();
  const there = new PlaygroundPage(page);
  for (const button of [there.train, there.oneIteration]) {
    await button.click();
    await consent.getByRole('button', { name: 'Do not run it' }).click();
    await expect(consent).toBeHidden();
  }
  await expect(there.status).toHaveText('Not trained yet');
  expect(ran(), 'before it was allowed').toEqual([]);

  await card.getByRole('button', { name: 'Reproduce' }).click();
  await consent.getByRole('button', { name: 'Run it', exact: true }).click();
  await expect(there.status).toHaveText('Finished');
  await expect(page.getByTestId('agreement')).toContainText('on the 2 shared points the curves lie', { ignoreCase: true });
  expect(ran(), 'the control: it runs now').not.toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});

test('every link that was published opens in the page', async ({ playground, page }) => {
  await playground.open();
  for (const file of await readdir(LINKS)) {
    const { link } = JSON.parse(await readFile(new URL(file, LINKS), 'utf8')) as { link: string };
    await paste(page, link.slice(link.indexOf('#') + 1));
    await expect(page.getByRole('heading', { name: 'Somebody shared an experiment with you' }), file).toBeVisible();
    await expect(page.getByTestId('share-trouble'), file).toBeHidden();
    await cardOf(page).getByRole('button', { name: 'No, thank you' }).click();
    await expect(cardOf(page)).toBeHidden();
  }
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`nothing for axe to find in dialog and card, and nothing sticks out of a phone, ${colorScheme}`, async ({ playground, page }) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: 390, height: 844 });
    const parts: LinkParts = { results: RESULTS, teaching: { k: 'Reach the target.\n'.repeat(4), h: [], l: ['seed'], o: [], g: { m: 'training', v: 0.9 } } };
    const experiment = micro('schedule.iterations=3', 'team.agents.0.profile="A profile of many words that is longer than the line, and_a_word_that_is_longer_than_any_phone_is_wide_and_goes_on"');
    await playground.open(`./#${encodeLink(experiment, parts)}`);
    await expect(cardOf(page)).toBeVisible();
    const faultless = async (what: string): Promise<void> => {
      expect(await violations(page), what).toEqual([]);
      expect(await sticksOut(page), what).toEqual([]);
    };
    await faultless('the card');
    await cardOf(page).getByRole('button', { name: 'Use these settings' }).click();
    await playground.set(playground.seed, 5);
    await expect(cardOf(page)).toContainText('seed is locked in this task.');
    await faultless('the task');
    const dialog = await openShare(page);
    await dialog.getByText('For a class').click();
    await faultless('the dialog');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await paste(page, 'x=AAAA');
    await expect(page.getByTestId('share-trouble')).toBeVisible();
    await faultless('what cannot be opened');
  });
}

test('a file that is as large as no link may be opens, and one that is larger than any file may be is refused', async ({ playground, page }) => {
  await playground.open();
  const profile = Array.from({ length: 4000 }, (_, k) => String.fromCharCode(97 + ((k * 7919) % 26))).join('');
  await drop(page, 'large.marft.json', writeShareFile(micro(`team.agents.0.profile=${JSON.stringify(profile)}`)));
  await expect(cardOf(page)).toContainText('team.agents.0.profile');
  await drop(page, 'huge.marft.json', ' '.repeat(32 * 1024 * 1024 + 1));
  await expect(page.getByTestId('share-trouble')).toContainText('The file is larger than 32 MB.');
});

test('what a class has shared is laid side by side, and what cannot be is refused with a sentence', async ({ playground, page }) => {
  const shared = (final: number): LinkParts => ({ results: { ...RESULTS, y: [0.25, final] } });
  const address = 'https://example.org/marft/';
  await playground.open();
  await page.getByRole('button', { name: 'Runs', exact: true }).click();
  await page.getByRole('button', { name: 'Compare', exact: true }).click();
  await page.getByText('Add what others have shared').click();
  await page.getByLabel('Links with results').fill(`Ada: ${address}#${encodeLink(micro(), shared(0.5))}\n<b>Grace</b> ${address}#${encodeLink(micro('algorithm.method=ippo'), shared(0.75))}\nEve ${address}#x=AAAA`);
  await page.getByRole('button', { name: 'Add links' }).click();
  const curves = page.getByTestId('curves');
  await expect(curves.getByRole('listitem')).toHaveText(['Ada 1 seed', '<b>Grace</b> 1 seed']);
  const refused = page.getByTestId('refused');
  await expect(refused.getByRole('listitem')).toHaveText(['Eve: The link is damaged or incomplete. Copy it again, whole.']);
  await expect(page.getByRole('region', { name: 'Settings that differ' })).toContainText('algorithm.method');

  const file = (name: string, text: string): { name: string; mimeType: string; buffer: Buffer } => ({ name, mimeType: 'application/json', buffer: Buffer.from(text) });
  await page.getByLabel('Add .marft.json files').setInputFiles([
    file('Alan.marft.json', writeShareFile(micro('seed=2'), shared(1))),
    file('Ada.marft.json', writeShareFile(micro(), shared(0.6))),
    file('settings.marft.json', writeShareFile(micro())),
    file('holiday.json', '{}'),
  ]);
  await expect(curves.getByRole('listitem')).toHaveText(['Ada 1 seed', '<b>Grace</b> 1 seed', 'Alan 1 seed', 'Ada (2) 1 seed']);
  await expect(refused.getByRole('listitem')).toHaveText([/^settings: There are no results in it, only settings\./, /^holiday: This file is no shared experiment/]);
  expect(await violations(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await sticksOut(page)).toEqual([]);
  await refused.getByRole('button', { name: 'Dismiss' }).click();
  await expect(refused).toBeHidden();

  const transfer = await page.evaluateHandle((text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], 'Emmy.marft.json', { type: 'application/json' }));
    return data;
  }, writeShareFile(micro('seed=3'), shared(0.9)));
  await page.getByRole('heading', { name: 'Compare', exact: true }).dispatchEvent('drop', { dataTransfer: transfer });
  await expect(curves.getByRole('listitem').last()).toHaveText('Emmy 1 seed');
  await expect(page.getByTestId('shared-card')).toBeHidden();
  await page.getByRole('button', { name: 'Start over' }).click();
  await expect(page.getByText('Nothing to compare yet.')).toBeVisible();
});
