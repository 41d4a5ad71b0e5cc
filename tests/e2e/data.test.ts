/** Problems from a file and from the Hub: chosen, looked at, made the team's task, and trained on. */
import type { Page } from '@playwright/test';
import { bytesOf, CONVERTED, parquet, startDataHub, type DataServer } from '../unit/data/data-server.ts';
import { violations } from './axe.ts';
import { expect, test, type PlaygroundPage, sticksOut } from './playground.ts';

test.use({ expectedErrors: /https:\/\/(datasets-server\.)?huggingface\.co\// });

const REPOSITORY = 'org/sums';
const CORS = { 'access-control-allow-origin': '*', 'access-control-allow-headers': 'authorization, range', 'access-control-expose-headers': 'X-Error-Code, Content-Range' };

/** Answers what the page asks the Hub and its dataset viewer from a server of this test. */
async function openDataHub(page: Page): Promise<DataServer> {
  const hub = await startDataHub(REPOSITORY);
  const forward = (base: string) => async (route: Parameters<Parameters<Page['route']>[1]>[0]) => {
    const { pathname, search } = new URL(route.request().url());
    const { range } = await route.request().allHeaders();
    const answer = await fetch(base + pathname + search, { headers: range === undefined ? {} : { range } });
    const kept = ['content-range', 'x-error-code', 'content-type'].flatMap((name) => [[name, answer.headers.get(name) ?? '']]).filter(([, value]) => value !== '');
    await route.fulfill({ status: answer.status, headers: { ...CORS, ...(Object.fromEntries(kept) as Record<string, string>) }, body: Buffer.from(await answer.arrayBuffer()) });
  };
  await page.context().route('https://huggingface.co/**', forward(hub.endpoint));
  await page.context().route('https://datasets-server.huggingface.co/**', forward(hub.viewer));
  return hub;
}

let hub: DataServer;
test.beforeEach(async ({ page }) => {
  hub = await openDataHub(page);
});
test.afterEach(() => hub.close());

async function openData(playground: PlaygroundPage, page: Page): Promise<void> {
  await playground.open();
  await playground.preset.selectOption('micro-addition');
  await page.getByRole('button', { name: 'Choose data' }).click();
}

const file = (name: string, text: string) => ({ name, mimeType: '', buffer: Buffer.from(text) });
const chooseFile = (page: Page, name: string, text: string): Promise<void> => page.getByLabel('File of problems').setInputFiles(file(name, text));
const keepTeam = (page: Page): Promise<void> => page.getByLabel(/Use the team suggested/).uncheck();
const use = (page: Page): Promise<void> => page.getByRole('button', { name: 'Use these problems' }).click();

async function trainOnce(playground: PlaygroundPage): Promise<void> {
  await playground.oneIteration.click();
  await expect(playground.iteration).toHaveText('1');
  await expect(playground.trouble).toBeHidden();
}

const problems = Array.from({ length: 20 }, (_, k) => ({ id: k, frage: `${k}+1=?`, weg: `one more\n#### ${k + 1}` }));

test('a file is looked at, its columns are chosen, and the team trains on it, also after a reload', async ({ playground, page }) => {
  await openData(playground, page);
  await chooseFile(page, 'broken.jsonl', '{"frage":"1"}\n{"frage":');
  await expect(page.getByRole('alert')).toContainText('Line 2 of broken.jsonl is not JSON');

  await chooseFile(page, 'my problems.jsonl', problems.map((problem) => JSON.stringify(problem)).join('\n'));
  const chosen = page.getByTestId('chosen-data');
  await expect(chosen).toContainText('20 rows');
  await page.getByLabel('Column of the question').selectOption('frage');
  await page.getByLabel('Column of the answer').selectOption('weg');
  await expect(page.getByLabel('The answer is')).toHaveValue('hashes');
  await expect(page.getByTestId('first-answer')).toContainText('1');
  await expect(page.getByRole('region', { name: 'First rows' })).toContainText('3+1=?');
  await keepTeam(page);
  await use(page);
  await expect(page.getByTestId('task')).toContainText('Problems of my problems.jsonl');
  await trainOnce(playground);
  const { experiment, episodes } = await playground.downloadRun();
  expect(experiment.task).toMatchObject({ name: 'dataset', options: { source: 'file', file: 'my problems.jsonl', question: 'frage', answer: 'weg', answerFrom: 'hashes' } });
  expect(JSON.stringify(episodes)).toMatch(/\d\+1=\?/);

  await page.reload();
  await page.getByRole('button', { name: /^Resume/ }).first().click();
  await expect(playground.iteration).toHaveText('1');
  await playground.oneIteration.click();
  await expect(playground.iteration).toHaveText('2');
});

test('a data set of the Hub: licence, first rows and splits are shown before its rows are read, and then it needs no network', async ({ playground, page }) => {
  hub.converted.set('main/train/0000.parquet', parquet({ question: problems.map(({ frage }) => frage), answer: problems.map(({ weg }) => weg) }));
  hub.converted.set('main/test/0000.parquet', parquet({ question: ['90+1=?', '91+1=?'], answer: ['#### 91', '#### 92'] }));
  await openData(playground, page);
  await page.getByLabel(/as owner\/name/).fill(REPOSITORY);
  await page.getByRole('button', { name: 'Look it up' }).click();
  await expect(page.getByTestId('licence')).toHaveText('mit');
  await expect(page.getByTestId('chosen-data')).toContainText(`@${CONVERTED.slice(0, 8)}`);
  await expect(page.getByLabel('Split to train on')).toHaveValue('train');
  await page.getByLabel('Split to train on').selectOption('test');
  await expect(page.getByRole('region', { name: 'First rows' })).toContainText('90+1=?');
  await page.getByLabel('Split to train on').selectOption('train');
  await expect(page.getByRole('region', { name: 'First rows' })).toContainText('0+1=?');
  await keepTeam(page);
  await use(page);
  await expect(page.getByTestId('task')).toContainText('Problems of org/sums@');
  hub.asked.length = 0;
  await trainOnce(playground);
  expect(hub.asked).toEqual([]);
  expect((await playground.downloadRun()).experiment.task.options).toMatchObject({ source: `hub:${REPOSITORY}@${CONVERTED}`, config: 'main', split: 'train' });
});

test('a gated set, an unknown one and one without answers are told in a sentence; nothing in a cell is taken for a page', async ({ playground, page }) => {
  await openData(playground, page);
  const lookUp = async (): Promise<void> => {
    await page.getByLabel(/as owner\/name/).fill(REPOSITORY);
    await page.getByRole('button', { name: 'Look it up' }).click();
  };
  hub.misbehave = (_, response) => {
    response.writeHead(403, { 'x-error-code': 'GatedRepo' }).end();
    return true;
  };
  await lookUp();
  await expect(page.getByRole('alert')).toContainText('is gated');
  hub.misbehave = () => false;
  await page.getByRole('button', { name: /GSM8K/ }).click();
  await expect(page.getByRole('alert')).toContainText('does not show datasets/openai/gsm8k to strangers');
  // No file that can be read: the dataset viewer's rows.
  hub.own.set('loader.py', bytesOf('print()'));
  hub.viewed.set('default/train', [{ question: '<img src=x onerror=alert(1)><b>2+2</b>', answer: '4' }, { question: '2+3', answer: '' }]);
  await lookUp();
  await expect(page.getByTestId('chosen-data')).toContainText('which knows the newest version alone');
  await expect(page.getByRole('region', { name: 'First rows' })).toContainText('<img src=x onerror=alert(1)><b>2+2</b>');
  await use(page);
  await expect(page.getByRole('alert')).toContainText('org/sums has one problem to train on and to hold out together.');
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`axe finds nothing in the data dialog, and nothing sticks out on a phone, ${colorScheme}`, async ({ playground, page }) => {
    await page.emulateMedia({ colorScheme });
    await openData(playground, page);
    await chooseFile(page, 'sums.csv', `question,answer,${Array.from({ length: 30 }, (_, k) => `c${k}`).join(',')}\n${problems.map(({ frage, id }) => `${frage},${id + 1},${Array.from({ length: 30 }, () => 'much text in a cell').join(',')}`).join('\n')}`);
    await expect(page.getByTestId('chosen-data')).toBeVisible();
    expect(await violations(page)).toEqual([]);
    await chooseFile(page, 'x.docx', 'x');
    await expect(page.getByRole('alert')).toBeVisible();
    expect(await violations(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    await chooseFile(page, 'sums.csv', 'question,answer\n1+1,2\n2+2,4\n');
    await expect(page.getByTestId('chosen-data')).toBeVisible();
    expect(await sticksOut(page)).toEqual([]);
  });
}
