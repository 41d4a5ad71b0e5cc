/** Programs that nobody trusts, in a real browser: each is contained within its limits, and the one after it runs as ever. */
import { expect, test, type Page } from '@playwright/test';
import { LANGUAGES, type Input, type Language } from '../../src/sandbox/types.ts';
import { disturbs, HONEST, HONEST_INPUT, HONEST_OUTPUT, HOSTILE, limitsOf, PATIENT_LIMITS } from '../hostile/cases.ts';
import { serveHarness, type HarnessServer } from './harness-server.ts';
import type { Ran } from './sandbox-page.ts';

const INPUT: Input = { kind: 'stdin', text: HONEST_INPUT };

/** Milliseconds that a slow computer may take to start an interpreter, over what the program itself may take. */
const START_MS = 8000;

let server: HarnessServer;

test.beforeAll(async () => {
  server = await serveHarness(41_833, 'sandbox-page');
});

test.afterAll(() => server.close());

interface Watch {
  requests: string[];
  complaints: string[];
}

/** The page, with all that it or any of its workers asks for and complains of. */
async function open(page: Page): Promise<Watch> {
  const watch: Watch = { requests: [], complaints: [] };
  page.context().on('request', (request) => watch.requests.push(request.url()));
  page.on('pageerror', (error) => watch.complaints.push(`page error: ${error.message}`));
  page.on('dialog', (dialog) => watch.complaints.push(`dialog: ${dialog.message()}`));
  page.on('popup', (popup) => watch.complaints.push(`popup: ${popup.url()}`));
  page.on('console', (message) => {
    const loud = message.type() === 'error' || message.type() === 'warning';
    // The page of these tests has neither a theme nor an icon.
    if (loud && !/theme\.js|favicon/.test(message.location().url)) watch.complaints.push(`console: ${message.text()}`);
  });
  await page.goto(server.address);
  await expect.poll(() => page.evaluate(() => 'sandboxPage' in window)).toBe(true);
  return watch;
}

const run = (page: Page, language: Language, code: string, limits = PATIENT_LIMITS): Promise<Ran> =>
  page.evaluate(([program, input, most]) => window.sandboxPage.run(program, [input], most), [{ language, code }, INPUT, limits] as const);

for (const language of LANGUAGES) {
  test(`hostile programs in ${language} end within their limits, reach nothing, and disturb no other`, async ({ page }) => {
    const watch = await open(page);
    const honest = async (after: string): Promise<void> => expect((await run(page, language, HONEST[language])).results, `after: ${after}`).toEqual([{ kind: 'ended', output: HONEST_OUTPUT[language], value: null }]);
    await honest('nothing');
    const started = [...watch.requests];
    const state = (): Promise<unknown> => page.evaluate(() => [document.title, document.cookie, localStorage.length, document.documentElement.outerHTML]);
    const before = await state();
    for (const hostile of HOSTILE.filter((one) => one.language === language)) {
      const { name, code, becomes } = hostile;
      const { results, ms } = await run(page, language, code, limitsOf(hostile));
      const [result] = results;
      expect(becomes, `${name}: ${JSON.stringify(result).slice(0, 500)}`).toContain(result?.kind);
      expect(result?.kind === 'ended' ? result.output : '', name).not.toContain('ESCAPED');
      expect(result?.kind === 'ended' || result?.message, name).toBeTruthy();
      expect(ms, name).toBeLessThan(limitsOf(hostile).totalMs + START_MS);
      if (disturbs(hostile)) await honest(name);
    }
    await honest('all');
    // Only the scripts of further workers have been asked for, all of them from beside the page.
    const own = new Set(started);
    expect(watch.requests.slice(started.length).filter((url) => !own.has(url) && !url.startsWith('blob:'))).toEqual([]);
    expect(watch.complaints).toEqual([]);
    expect(await state()).toEqual(before);
  });
}

test('interpreters are fetched from beside the page, and only once something is to be run', async ({ page }) => {
  const { requests } = await open(page);
  const named = (pattern: RegExp): string[] => requests.filter((url) => pattern.test(url));
  expect(named(/pyodide|python|quickjs|emscripten|\.wasm/i)).toEqual([]);
  await run(page, 'javascript', HONEST.javascript);
  expect(named(/\.wasm/).length).toBe(1);
  expect(named(/pyodide|python_stdlib/)).toEqual([]);
  await run(page, 'python', HONEST.python);
  expect(named(/pyodide\.asm.*\.wasm/).length).toBe(1);
  expect(named(/python_stdlib.*\.zip/).length).toBe(1);
  const origin = new URL(server.address).origin;
  expect(requests.filter((url) => !url.startsWith(origin) && !url.startsWith('blob:'))).toEqual([]);
});

test('answers are judged from a worker, as in training, and one that hangs does not keep the next one', async ({ page }) => {
  await open(page);
  const fenced = (code: string): string => `So:\n\`\`\`\n${code}\n\`\`\``;
  const programs = {
    python: ['for k in range(int(input())): print("#" * (k + 1))', 'while True: pass', 'print("#")'],
    javascript: ['const n = Number(readline());\nfor (let k = 1; k <= n; k++) print("#".repeat(k));', 'for (;;);', 'print("#")'],
  };
  for (const language of LANGUAGES) {
    const [right = '', hanging = '', partly = ''] = programs[language];
    const judging = { options: { language, seconds: 1.5 }, words: 'print n lines', answers: [hanging, right, partly, 'no program'].map((code, k) => (k < 3 ? fenced(code) : code)) };
    const verdicts = await page.evaluate((all) => window.sandboxPage.judge(all), judging);
    expect(verdicts.map(({ reward }) => reward), language).toEqual([0, 1, 0, 0]);
    expect(verdicts.map(({ parts }) => Math.round(100 * (parts['passed'] ?? NaN)))).toEqual([0, 100, 33, 0]);
    expect(verdicts.map(({ fault }) => fault ?? null)).toEqual([null, null, null, null]);
  }
});
