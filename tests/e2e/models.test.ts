import type { Page } from '@playwright/test';
import { readFile } from 'node:fs/promises';
import { COMMIT, cutAfter, rangeOf, type HubServer } from '../unit/checkpoint/hub-server.ts';
import type { OAuthServer } from '../unit/checkpoint/oauth-server.ts';
import { violations } from './axe.ts';
import { HUB_TRAFFIC, MICRO, openHub, openSignIn, REPOSITORY, sharded } from './hub.ts';
import { expect, test, type PlaygroundPage } from './playground.ts';

test.use({ expectedErrors: HUB_TRAFFIC });

let hub: HubServer;
test.beforeEach(async ({ page }) => {
  hub = await openHub(page);
});
test.afterEach(() => hub.close());

const weights = (): Uint8Array => hub.files.get('model.safetensors') ?? new Uint8Array(0);
const askedForWeights = (): string[] => hub.asked.filter((path) => path.includes('.safetensors') && path.startsWith('/cdn/'));

async function openModels(playground: PlaygroundPage, page: Page): Promise<void> {
  await playground.open();
  await playground.preset.selectOption('micro-addition');
  await page.getByRole('button', { name: 'Choose a model' }).click();
}

async function lookUp(page: Page, id = REPOSITORY): Promise<void> {
  await page.getByLabel(/as owner\/name/).fill(id);
  await page.getByRole('button', { name: 'Look it up' }).click();
}

async function useStored(page: Page): Promise<void> {
  await page.getByTestId('stored-model').getByRole('button', { name: `Use ${REPOSITORY}` }).click();
  await expect(page.getByTestId('model')).toContainText(REPOSITORY);
}

async function trainOnce(playground: PlaygroundPage): Promise<void> {
  await playground.oneIteration.click();
  await expect(playground.iteration).toHaveText('1');
  await expect(playground.trouble).toBeHidden();
}

test('a model of the Hub: looked at, downloaded over a cut connection, trained, and after a reload without asking anybody', async ({ playground, page }) => {
  await openModels(playground, page);
  await lookUp(page);
  await expect(page.getByTestId('verdict')).toContainText('Fits');
  await expect(page.getByTestId('memory-total')).toContainText('MB');
  await expect(page.getByTestId('download-size')).toHaveText(/\d+ kB/);
  expect(hub.asked.every((path) => path.startsWith('/api/') || path.includes('/config.json')), hub.asked.join()).toBe(true);

  let cut = false;
  hub.misbehave = (request, response) => {
    if (!request.url?.startsWith('/cdn/')) return false;
    if (cut) response.destroy();
    else cutAfter(response, weights(), rangeOf(request), 1000);
    cut = true;
    return true;
  };
  await page.getByRole('button', { name: /^Download \d+ kB/ }).click();
  await expect(page.getByTestId('models-trouble')).toContainText('could not be fetched from huggingface.co');
  await expect(page.getByTestId('download')).toContainText('what has come is kept');
  await expect(page.getByTestId('stored-model')).toContainText('unfinished');

  hub.misbehave = () => false;
  hub.asked.length = 0;
  await page.getByRole('button', { name: 'Resume' }).click();
  await expect(page.getByTestId('hub-report')).toContainText('are in this browser');
  expect(askedForWeights()).toEqual([`/cdn/${COMMIT}/model.safetensors 1000-${weights().length - 1}`]);
  await page.getByRole('button', { name: 'Use this model' }).click();
  await trainOnce(playground);
  expect((await playground.downloadRun()).experiment.model).toBe(`hub:${REPOSITORY}@${COMMIT}`);

  hub.asked.length = 0;
  await openModels(playground, page);
  await useStored(page);
  await trainOnce(playground);
  expect(hub.asked).toEqual([]);

  await page.getByRole('button', { name: 'Choose a model' }).click();
  await page.getByRole('button', { name: `Delete ${REPOSITORY}` }).click();
  await expect(page.getByText('No downloaded models.')).toBeVisible();
  await page.getByRole('button', { name: 'Close' }).click();
  await playground.reset.click();
  await expect(playground.trouble).toContainText(`${REPOSITORY}@${COMMIT} is not in this browser.`);
});

test('a download is paused, goes on, and is cancelled, and nothing of it is left', async ({ playground, page }) => {
  hub.files = sharded(MICRO);
  hub.misbehave = (request) => request.url?.startsWith('/cdn/') === true && request.url.includes('00002-of');
  await openModels(playground, page);
  await lookUp(page);
  await page.getByRole('button', { name: /^Download \d+ kB/ }).click();
  await expect(page.getByTestId('download')).toHaveText(/kB of \d+ kB/);
  await page.getByRole('button', { name: 'Pause' }).click();
  await expect(page.getByTestId('download')).toContainText('Stopped at');
  await page.getByRole('button', { name: 'Resume' }).click();
  await expect(page.getByRole('button', { name: 'Pause' })).toBeVisible();
  await page.getByRole('button', { name: 'Cancel and delete' }).click();
  await expect(page.getByTestId('download')).toBeHidden();
  await expect(page.getByText('No downloaded models.')).toBeVisible();
  await expect(page.getByRole('button', { name: /^Download \d+ kB/ })).toBeEnabled();
});

test('what does not fit or is not supported is refused before its weights are asked for', async ({ playground, page }) => {
  const config = JSON.parse(Buffer.from(MICRO.get('config.json') ?? []).toString()) as object;
  const serve = (change: object) => hub.files.set('config.json', Buffer.from(JSON.stringify({ ...config, ...change })));
  serve({ hidden_size: 8192, num_attention_heads: 64, num_key_value_heads: 8, head_dim: 128, intermediate_size: 29568, num_hidden_layers: 80, vocab_size: 152064 });
  await openModels(playground, page);
  await lookUp(page);
  await expect(page.getByTestId('verdict')).toContainText(/Does not fit: The run needs \d+\.\d MB with one sequence at a time/);
  await expect(page.getByRole('button', { name: /^Download [\d.]+ kB/ })).toBeDisabled();
  hub.files.delete('config.json');
  await lookUp(page, `${REPOSITORY}@none`);
  await expect(page.getByTestId('models-trouble')).toContainText(`${REPOSITORY} has no such revision.`);
  await lookUp(page, 'not a model');
  await expect(page.getByTestId('models-trouble')).toContainText('"not a model" is no model of the Hub.');
  expect(askedForWeights()).toEqual([]);
});

test('an architecture that cannot be trained is refused by name', async ({ playground, page }) => {
  hub.files.set('config.json', Buffer.from(JSON.stringify({ ...(JSON.parse(Buffer.from(MICRO.get('config.json') ?? []).toString()) as object), model_type: 'llama' })));
  await openModels(playground, page);
  await lookUp(page);
  await expect(page.getByTestId('models-trouble')).toContainText('The architecture "llama" is not supported.');
  await expect(page.getByTestId('hub-report')).toBeHidden();
  expect(askedForWeights()).toEqual([]);
});

test('a gated model needs a token, which goes to the Hub and into nothing that is saved', async ({ playground, page }) => {
  hub.misbehave = ({ headers }, response) => {
    if (headers.authorization === 'Bearer hf_right') return false;
    response.writeHead(headers.authorization === undefined ? 401 : 403, { 'x-error-code': 'GatedRepo' }).end('{}');
    return true;
  };
  await openModels(playground, page);
  await lookUp(page);
  await expect(page.getByTestId('models-trouble')).toContainText(`${REPOSITORY} is gated`);

  const setToken = async (token: string): Promise<void> => {
    await page.getByText('Gated or private model?').click();
    await page.getByLabel(/Access token/).fill(token);
    await page.getByRole('button', { name: 'Set token' }).click();
  };
  await setToken('hf_wrong');
  await lookUp(page);
  await expect(page.getByTestId('models-trouble')).toContainText('does not give Org/micro to the account of this token');
  await page.getByRole('button', { name: 'Forget the token' }).click();
  await page.getByLabel(/Access token/).fill('hf_right');
  await page.getByRole('button', { name: 'Set token' }).click();
  await lookUp(page);
  await page.getByRole('button', { name: /^Download \d+ kB/ }).click();
  await page.getByRole('button', { name: 'Use this model' }).click();
  await trainOnce(playground);
  expect(JSON.stringify(await playground.downloadRun())).not.toContain('hf_right');
  expect(page.url()).not.toContain('hf_');
  expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toContain('hf_right');
});

test.describe('signing in', () => {
  let oauth: OAuthServer;
  let deleted: string[];
  test.beforeEach(async ({ page, baseURL }) => {
    deleted = [];
    oauth = await openSignIn(page, new URL('./', baseURL).href);
    hub.misbehave = ({ headers }, response) => {
      const token = headers.authorization?.replace('Bearer ', '');
      if (token !== undefined && oauth.given.has(token) && !deleted.includes(token)) return false;
      response.writeHead(401, token === undefined ? { 'x-error-code': 'GatedRepo' } : {}).end('{}');
      return true;
    };
  });
  test.afterEach(() => oauth.close());

  /** To the Hub's page, with everything on the way as a person would do it. */
  async function leave(playground: PlaygroundPage, page: Page, address = './'): Promise<void> {
    await playground.open(address);
    await page.getByRole('button', { name: 'Choose a model' }).click();
    await lookUp(page);
    await expect(page.getByTestId('models-trouble')).toContainText(`${REPOSITORY} is gated`);
    await page.getByText('Gated or private model?').click();
    await page.getByRole('button', { name: 'Sign in with Hugging Face' }).click();
    await expect(page).toHaveTitle('Hub');
  }

  test('leads back to the page as it was, to a gated model that is downloaded and trained, and leaves no trace', async ({ playground, page }) => {
    await leave(playground, page, './?backend=wasm#kept');
    await expect(page.locator('#scope')).toHaveText('gated-repos');
    await page.getByRole('link', { name: 'Authorize' }).click();
    await expect(page.getByTestId('hub-report')).toContainText(REPOSITORY);
    await expect(page.getByLabel(/as owner\/name/)).toHaveValue(REPOSITORY);
    expect(page.url()).toMatch(/\/\?backend=wasm#kept$/);
    await page.getByText('You are signed in.').click();
    await expect(page.getByTestId('signed-in')).toContainText('You are signed in at huggingface.co, until');
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: /^Download \d+ kB/ }).click();
    await page.getByRole('button', { name: 'Use this model' }).click();
    await trainOnce(playground);

    const [token = ''] = oauth.given.keys();
    expect(hub.tokens).toContain(`Bearer ${token}`);
    expect(JSON.stringify(await playground.downloadRun())).not.toContain('hf_oauth');
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toContain('hf_oauth');
    expect(await page.evaluate(() => Object.keys(sessionStorage))).not.toContain('marft-hub-sign-in');
    await page.reload();
    expect(page.url()).toMatch(/\/\?backend=wasm#kept$/);
    await page.getByRole('button', { name: 'Choose a model' }).click();
    await page.getByText('You are signed in.').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await lookUp(page);
    await expect(page.getByTestId('models-trouble')).toContainText('is gated');
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain('hf_oauth');
  });

  test('denied, and with an answer to somebody else’s attempt, gives a sentence and no token', async ({ playground, page }) => {
    await leave(playground, page);
    await page.getByRole('link', { name: 'Deny' }).click();
    await expect(page.getByTestId('models-trouble')).toContainText('You did not let this page read models with your account.');
    expect(new URL(page.url()).search).toBe('');

    await page.waitForLoadState('networkidle');
    await leave(playground, page);
    const answer = new URL((await page.getByRole('link', { name: 'Authorize' }).getAttribute('href')) ?? '');
    answer.searchParams.set('state', 'another');
    await page.goto(answer.href);
    await expect(page.getByTestId('models-trouble')).toContainText('This sign-in was not begun in this tab');
    expect(new URL(page.url()).search).toBe('');
    expect(oauth.exchanges).toEqual([]);
  });

  test('run out, or revoked at the Hub, asks to sign in again', async ({ playground, page }) => {
    oauth.lasts = 20;
    await page.clock.install();
    await leave(playground, page);
    await page.getByRole('link', { name: 'Authorize' }).click();
    await expect(page.getByTestId('hub-report')).toContainText(REPOSITORY);
    deleted = [...oauth.given.keys()];
    await lookUp(page);
    await expect(page.getByTestId('models-trouble')).toContainText('huggingface.co does not take this token or sign-in');
    await page.clock.fastForward(30_000);
    await expect(page.getByText('Your sign-in has run out.')).toBeVisible();
    await lookUp(page);
    await expect(page.getByTestId('models-trouble')).toContainText('is gated');
  });
});

test('a page that has no name at the Hub says so, and takes a token', async ({ playground, page }) => {
  await openModels(playground, page);
  await page.getByText('Gated or private model?').click();
  await expect(page.getByText('Whoever publishes this page can let people sign in instead')).toBeVisible();
  await expect(page.getByRole('button', { name: /^Sign in/ })).toBeHidden();
});

test('where the browser gives no room, that is said, and a model is used without being stored', async ({ playground, page, baseURL }) => {
  const session = await page.context().newCDPSession(page);
  await openModels(playground, page);
  await lookUp(page);
  await expect(page.getByTestId('verdict')).toContainText('Fits');
  await session.send('Storage.overrideQuotaForOrigin', { origin: new URL(baseURL ?? '').origin, quotaSize: 60_000 });
  await page.getByRole('button', { name: /^Download \d+ kB/ }).click();
  await expect(page.getByTestId('models-trouble')).toContainText('The browser gives this page no more room to store files.');
  await page.getByRole('button', { name: 'Cancel and delete' }).click();
  await page.getByRole('button', { name: 'Use without storing' }).click();
  await expect(page.getByTestId('model')).toContainText('fetched anew for every run');
  await trainOnce(playground);
});

test('a model from files trains, and the page says what a saved run will name', async ({ playground, page }) => {
  await openModels(playground, page);
  const files = [...sharded(MICRO)].map(([name, content]) => ({ name, mimeType: '', buffer: Buffer.from(content) }));
  await page.getByLabel('Files of a model').setInputFiles(files.filter(({ name }) => !name.includes('00002-of')));
  await expect(page.getByTestId('models-trouble')).toContainText('There is no model-00002-of-00002.safetensors among the chosen files.');
  await page.getByLabel('Files of a model').setInputFiles(files);
  await expect(page.getByTestId('files-report')).toContainText('Fits');
  await page.getByRole('button', { name: 'Use these files' }).click();
  await expect(page.getByTestId('model')).toContainText('Your files. A run that you save will name marft-micro instead.');
  await trainOnce(playground);
  expect(hub.asked).toEqual([]);

  await page.getByRole('button', { name: 'Choose a model' }).click();
  await page.getByRole('button', { name: 'Use marft-tiny' }).click();
  await expect(page.getByText('You changed the model.')).toBeVisible();
});

test('an adapter is saved and loaded again; one of another rank or base is refused with the reason', async ({ playground, page }) => {
  await playground.open();
  await playground.preset.selectOption('micro-addition');
  await expect(page.getByRole('button', { name: 'Save the adapter of solver' })).toBeDisabled();
  await trainOnce(playground);
  const waiting = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save the adapter of solver' }).click();
  const file = await waiting;
  expect(file.suggestedFilename()).toBe('solver-adapter.zip');
  const zip = await readFile(await file.path());

  await playground.reset.click();
  await expect(playground.iteration).toHaveText('0');
  const input = page.getByLabel('Load an adapter for solver');
  await input.setInputFiles({ name: 'a.zip', mimeType: 'application/zip', buffer: zip });
  await expect(page.getByTestId('adapter-news')).toHaveText('solver goes on from that adapter, until the next reset.');
  const again = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save the adapter of solver' }).click();
  expect((await readFile(await (await again).path())).length).toBe(zip.length);

  const { unzipSync } = await import('fflate');
  const files = unzipSync(zip);
  const config = JSON.parse(Buffer.from(files['adapter_config.json'] ?? []).toString()) as object;
  const changed = (change: object) => [
    { name: 'adapter_config.json', mimeType: '', buffer: Buffer.from(JSON.stringify({ ...config, ...change })) },
    { name: 'adapter_model.safetensors', mimeType: '', buffer: Buffer.from(files['adapter_model.safetensors'] ?? []) },
  ];
  const trouble = page.getByTestId('models-trouble');
  await input.setInputFiles(changed({ base_model_name_or_path: 'Qwen/Qwen3-0.6B' }));
  await expect(trouble).toContainText('The adapter was made for Qwen/Qwen3-0.6B, but this team is built on marft-micro.');
  await input.setInputFiles(changed({ r: 3 }));
  await expect(trouble).toContainText('not of rank 3');
  await input.setInputFiles(changed({ lora_alpha: 99 }));
  await expect(trouble).toContainText('The adapter has rank');
  await input.setInputFiles(changed({})[0] ?? []);
  await expect(trouble).toContainText('There is no adapter_model.safetensors');
  await playground.oneIteration.click();
  await expect(playground.iteration).toHaveText('1');
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`axe finds nothing in the models dialog, and nothing sticks out on a phone, ${colorScheme}`, async ({ playground, page }) => {
    await page.emulateMedia({ colorScheme });
    hub.misbehave = (request) => request.url?.startsWith('/cdn/') === true;
    await openModels(playground, page);
    await page.getByText('Gated or private model?').click();
    expect(await violations(page)).toEqual([]);
    await page.getByLabel('Files of a model').setInputFiles({ name: 'config.json', mimeType: '', buffer: Buffer.from('{}') });
    await expect(page.getByTestId('models-trouble')).toBeVisible();
    expect(await violations(page)).toEqual([]);
    await lookUp(page);
    await page.getByRole('button', { name: /^Download \d+ kB/ }).click();
    await expect(page.getByTestId('download')).toBeVisible();
    expect(await violations(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    const wide = await page.evaluate(() => [...document.querySelectorAll('dialog, dialog *')].filter((element) => element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).overflowX === 'auto').length);
    expect(wide).toBe(0);
  });
}
