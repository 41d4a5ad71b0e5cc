import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { Random } from '../../../../src/random/random.ts';
import { nodeSandbox } from '../../../../src/sandbox/node.ts';
import { codeOptions, codeTask, type CodeTask } from '../../../../src/tasks/code/code.ts';
import { CODE_SET_NAMES } from '../../../../src/tasks/code/known-sets.ts';
import { normalisedQuestion } from '../../../../src/tasks/dataset/split-rows.ts';
import { taskByName } from '../../../../src/tasks/registry.ts';
import { NO_SERVICES, type Row, type RowsRequest, type TaskServices } from '../../../../src/tasks/services.ts';
import type { Problem, Task, Verdict } from '../../../../src/tasks/types.ts';
import { CODEFORCES, LIVE_CALL, LIVE_STDIN, PRIME_CALL, PRIME_STDIN } from './rows.ts';

const sandbox = nodeSandbox();
afterAll(() => sandbox.dispose());

function tables(splits: Record<string, Row[]>): TaskServices & { asked: RowsRequest[] } {
  const asked: RowsRequest[] = [];
  return {
    asked,
    sandbox,
    rows(request) {
      asked.push(request);
      const split = request.split ?? Object.keys(splits)[0] ?? 'train';
      return Promise.resolve({ rows: splits[split] ?? [], split, splits: Object.keys(splits) });
    },
  };
}

async function prepared(options: object, splits: Record<string, Row[]> = {}): Promise<CodeTask> {
  const task = codeTask(codeOptions.parse(options));
  await task.prepare(tables(splits));
  return task;
}

const judged = async (task: Task, problem: Problem, answer: string): Promise<Verdict> => task.verify(problem, answer, { answers: [answer], random: new Random(0) });

/** The built-in problem whose question has these words, wherever it is. */
function find(task: Task, words: string): Problem {
  const found = task.sample?.().find(({ question }) => question.includes(words));
  if (!found) throw new Error(`no problem with ${words}`);
  return found;
}

const fenced = (code: string): string => `Here it is:\n\`\`\`\n${code}\n\`\`\``;
const numbered = (count: number, from = 0): Row[] => Array.from({ length: count }, (_, k) => ({ ...PRIME_STDIN, problem: `Problem ${from + k}` }));

describe.each([
  ['python', 'n = int(input())\nfor k in range(n): print("#" * (k + 1))', 'n = int(input())\nwhile n > 1: pass\nprint("#")'],
  ['javascript', 'const n = Number(readline());\nfor (let k = 1; k <= n; k++) print("#".repeat(k));', 'const n = Number(readline());\nwhile (n > 1);\nprint("#");'],
] as const)('a program in %s', (language, right, hanging) => {
  it('earns 1 if it passes all tests, and nothing if it does not', async () => {
    const task = await prepared({ language });
    const problem = find(task, 'print n lines');
    expect(problem.question).toMatch(/Language: (Python|JavaScript)\.$/);
    expect(problem.answer).toContain('reads "1", prints "#"');
    expect(await judged(task, problem, fenced(right))).toEqual({ reward: 1, parts: { correct: 1, passed: 1, code: 1 } });
    expect(await judged(task, problem, fenced('print("#")'))).toMatchObject({ reward: 0, parts: { correct: 0, code: 1 } });
    expect(await judged(task, problem, fenced('this is no program'))).toMatchObject({ reward: 0, parts: { code: 1 } });
    for (const none of ['', right, `\`${right}\``]) expect(await judged(task, problem, none)).toEqual({ reward: 0, parts: { correct: 0, passed: 0, code: 0 } });
  });

  it('may earn the fraction of the tests that it passes', async () => {
    const task = await prepared({ language, reward: 'fraction' });
    const problem = find(task, 'print n lines');
    expect((await judged(task, problem, fenced('print("#")'))).reward).toBeCloseTo(1 / 3);
    expect((await judged(task, problem, fenced(right))).reward).toBe(1);
    expect(task.parts).toEqual(['passed', 'correct', 'code']);
    const one = await prepared({ language, reward: 'fraction', maxTests: 1 });
    expect((await judged(one, find(one, 'print n lines'), fenced('print("#")'))).reward).toBe(1);
  });

  it('that hangs earns nothing for where it hangs, and the next one is judged as ever', async () => {
    const task = await prepared({ language, reward: 'fraction', seconds: 1 });
    const problem = find(task, 'print n lines');
    const verdicts = await Promise.all([hanging, right, hanging, right].map((code) => judged(task, problem, fenced(code))));
    expect(verdicts.map(({ parts }) => parts['correct'])).toEqual([0, 1, 0, 1]);
    expect(verdicts.map(({ reward }) => reward < 1)).toEqual([true, false, true, false]);
    expect(verdicts.every(({ fault }) => fault === undefined)).toBe(true);
  });
});

describe('programming problems', () => {
  it('can be judged nowhere but where programs can be run', async () => {
    await expect(codeTask(codeOptions.parse({})).prepare(NO_SERVICES)).rejects.toThrow('Programs cannot be run here.');
    const task = codeTask(codeOptions.parse({}));
    expect(await judged(task, find(task, 'print n lines'), fenced('x'))).toMatchObject({ reward: 0, fault: 'Programs cannot be run here. Start the run again.' });
  });

  it('never leak from the held-out part into training, however often and however written a question stands there', async () => {
    const questions = fc.array(fc.string({ unit: fc.constantFrom('a', 'A', 'b', ' ', '１', '1'), minLength: 1, maxLength: 4 }), { maxLength: 40 });
    const written = (all: string[]): Row[] => all.map((problem) => ({ ...PRIME_STDIN, problem }));
    await fc.assert(
      fc.asyncProperty(questions, questions, fc.boolean(), async (train, test, ownSplit) => {
        const task = await prepared({ source: 'file' }, ownSplit ? { train: written(train), test: written(test) } : { train: written([...train, ...test]) }).catch(() => null);
        if (!task) return;
        const held = new Set(task.heldOut(100, 1).map(({ question }) => normalisedQuestion(question)));
        const random = new Random(3);
        for (let k = 0; k < 100; k++) expect(held.has(normalisedQuestion(task.train(random).question))).toBe(false);
      }),
    );
    const own = await prepared({});
    const held = new Set([1, 2].flatMap((seed) => own.heldOut(40, seed).map(({ id }) => id)));
    const random = new Random(1);
    const trained = new Set(Array.from({ length: 500 }, () => own.train(random).id));
    expect([...trained].filter((id) => held.has(id))).toEqual([]);
    expect([trained.size, held.size]).toEqual([own.counts().train, own.counts().heldOut]);
    expect(held.size).toBeGreaterThanOrEqual(2);
  });

  it('come from a table by its format, with its own test split held out, and rows without tests are counted', async () => {
    const task = await prepared({ source: 'file' }, { train: [...numbered(10), { problem: 'None', tests: '[]' }], test: numbered(4, 8) });
    expect(task.counts()).toEqual({ train: 8, heldOut: 4, leftOut: 1 });
    const live = await prepared({ source: 'file', format: 'livecodebench' }, { test: [LIVE_STDIN, LIVE_CALL] });
    expect(live.counts()).toEqual({ train: 1, heldOut: 1, leftOut: 0 });
    expect(live.train(new Random(1)).question).not.toBe(live.heldOut(1, 1)[0]?.question);
  });

  it('are judged by the tests of their own row', async () => {
    const task = await prepared({ source: 'file', language: 'javascript' }, { train: [PRIME_CALL, PRIME_STDIN] });
    const [call, stdin] = [find(task, 'Return the sum.'), find(task, 'print the sum')];
    expect(call.answer).toBe('add(1,2) is [3]');
    for (const code of ['const add = (a, b) => a + b;', 'const add = (a, b) => [a + b];', 'class Solution { add(a, b) { return a + b; } }']) expect((await judged(task, call, fenced(code))).reward).toBe(1);
    expect((await judged(task, stdin, fenced('const add = (a, b) => a + b;'))).reward).toBe(0);
  });

  it('of the known sets are asked for where they are', async () => {
    const rowOf = { deepcoder: PRIME_STDIN, livecodebench: LIVE_STDIN, codeforces: CODEFORCES };
    for (const source of CODE_SET_NAMES) {
      const services = tables({ train: [rowOf[source]] });
      await expect(codeTask(codeOptions.parse({ source })).prepare(services)).rejects.toThrow(`${source} has one problem with tests that can be run here`);
      expect(services.asked[0]?.source).toMatch(/^hub:[\w-]+\/[\w-]+$/);
      expect(services.asked[0]?.limit).toBe(400);
    }
  });

  it('refuse options that they do not have', () => {
    for (const options of [{ language: 'perl' }, { source: '/etc/passwd' }, { source: 'hub:a' }, { seconds: 1000 }, { maxTests: 0 }, { reward: 'some' }, { path: 'x' }]) expect(() => taskByName('code', options)).toThrow('options of task "code"');
  });
});
