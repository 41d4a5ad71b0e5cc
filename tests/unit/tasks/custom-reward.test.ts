import { afterAll, describe, expect, it } from 'vitest';
import { Random } from '../../../src/random/random.ts';
import { nodeSandbox } from '../../../src/sandbox/node.ts';
import { customRewarded, MAX_REWARD_CODE, STOPS_BEFORE_END } from '../../../src/tasks/custom-reward.ts';
import { taskByName } from '../../../src/tasks/registry.ts';
import { NO_SERVICES } from '../../../src/tasks/services.ts';
import type { Task, Verdict } from '../../../src/tasks/types.ts';

const sandbox = nodeSandbox();
afterAll(() => sandbox.dispose());

const own = taskByName('duo-addition', { digits: 1 });
const problem = { id: 'p', question: '3+4=?', answer: '7' };

async function prepared(code: string, task: Task = own): Promise<Task> {
  const custom = customRewarded(task, { code });
  await custom.prepare?.({ ...NO_SERVICES, sandbox });
  return custom;
}

async function verdictOn(code: string, answer = '7'): Promise<Verdict> {
  return (await prepared(code)).verify(problem, answer, { answers: ['1', answer], utterances: [{ agent: 'a', text: 'hm' }, { agent: 'b', text: answer }], random: new Random(1) });
}

const reject = (promise: Promise<unknown>): Promise<string> => promise.then(() => 'nothing', (error: unknown) => (error instanceof Error ? error.message : String(error)));

describe('the reward that a user has written', () => {
  it('is what the function returns, kept within 0 and 1', async () => {
    expect((await verdictOn('function reward({ answer }) { return answer.length / 4; }')).reward).toBe(0.25);
    expect((await verdictOn('const reward = ({ expected, answer }) => expected === answer;')).reward).toBe(1);
    expect((await verdictOn('function reward() { return 7; }')).reward).toBe(1);
    expect((await verdictOn('function reward() { return -7; }')).reward).toBe(0);
  });

  it('knows the question, all answers, all utterances and the task’s own verdict', async () => {
    const verdict = await verdictOn('function reward(given) { return { reward: 0.5, parts: { same: JSON.stringify(given) === given.question + "" ? 1 : given.answers.length / 4, said: given.utterances[0].agent === "a" && given.utterances[1].text === "7", own: given.task.reward } }; }');
    expect(verdict).toEqual({ reward: 0.5, parts: { ...(await own.verify(problem, '7', { answers: ['7'], random: new Random(1) })).parts, task: 1, same: 0.5, said: 1, own: 1, error: 0 } });
  });

  it('is always the same', async () => {
    const code = 'function reward() { return (Math.random() + Date.now()) / 2; }';
    expect(await verdictOn(code)).toEqual(await verdictOn(code));
  });

  it.each([
    ['throw', 'function reward() {\n  throw new Error("no idea");\n}', 'failed in line 2: Error: no idea.'],
    ['use what there is not', 'function reward() {\n\n  return fetch("x");\n}', 'failed in line 3: ReferenceError'],
    ['return nothing', 'function reward() {}', 'returned nothing'],
    ['return a text', 'function reward() { return "1"; }', 'must return a number'],
    ['return what is no number', 'function reward() { return 0 / 0; }', 'returned NaN'],
    ['return a promise', 'async function reward() { return 1; }', 'returned a promise'],
    ['return a list', 'function reward() { return [1]; }', 'must return a number'],
    ['return no reward', 'function reward() { return { parts: {} }; }', '"reward" of what'],
    ['name parts wrongly', 'function reward() { return { reward: 1, parts: { "No!": 1 } }; }', 'cannot be named "No!"'],
    ['take the task’s part', 'function reward() { return { reward: 1, parts: { task: 1 } }; }', 'cannot be named "task"'],
    ['have parts that are no numbers', 'function reward() { return { reward: 1, parts: { a: "x" } }; }', '"a" is no number'],
    ['have too many parts', 'function reward() { return { reward: 1, parts: Object.fromEntries([..."abcdefghi"].map((k) => [k, 1])) }; }', 'more than 8'],
    ['fill the memory', 'function reward() { const x = []; for (;;) x.push(new Uint8Array(1e8)); }', 'MB of memory'],
    ['print without end', 'function reward() { for (;;) print("x".repeat(1000)); }', 'printed more than'],
  ])('is 0, and the verdict says why, where it would %s', async (_, code, words) => {
    const verdict = await verdictOn(code);
    expect(verdict).toMatchObject({ reward: 0, parts: { error: 1, task: 1 } });
    expect(verdict.fault).toContain(words);
  });

  it('is given up when it never ends many times in a row, and not before', async () => {
    const custom = await prepared('function reward() { for (;;); }');
    const faults = await Promise.all(Array.from({ length: 20 }, async () => (await custom.verify(problem, '7', { answers: ['7'], random: new Random(1) })).fault));
    expect(faults.slice(0, STOPS_BEFORE_END).every((fault) => fault?.includes('longer than 1 s'))).toBe(true);
    expect(faults.slice(STOPS_BEFORE_END).every((fault) => fault?.includes('not run any more'))).toBe(true);
  });

  it('goes on being asked where it hangs for some answers only', async () => {
    const custom = await prepared('function reward({ answer }) { while (answer === "hang"); return 1; }');
    const answers = ['hang', 'hang', 'hang', '7', 'hang', '7'];
    const verdicts = await Promise.all(answers.map((answer) => custom.verify(problem, answer, { answers: [answer], random: new Random(1) })));
    expect(verdicts.map(({ reward }) => reward)).toEqual([0, 0, 0, 1, 0, 1]);
  });

  it('is refused before training where it cannot be read, has no function, never ends or can be run nowhere', async () => {
    expect(await reject(prepared('function reward() {\n  return 1 +;\n}'))).toContain('failed in line 2: SyntaxError');
    expect(await reject(prepared('const prize = 1;'))).toBe('The code of the reward failed: There is no function named reward.');
    expect(await reject(prepared('for (;;);'))).toContain('longer than 1 s');
    expect(await reject(Promise.resolve(customRewarded(own, { code: 'x' }).prepare?.(NO_SERVICES)))).toContain('cannot be run here');
  });

  it('lets the task prepare itself too, and leaves its problems alone', async () => {
    let asked = 0;
    const custom = await prepared('function reward() { return 1; }', { ...own, prepare: () => Promise.resolve(void (asked += 1)) });
    expect(asked).toBe(1);
    expect(custom.train(new Random(3))).toEqual(own.train(new Random(3)));
    expect(custom.heldOut(5, 1)).toEqual(own.heldOut(5, 1));
    expect(customRewarded(own, undefined)).toBe(own);
    expect(MAX_REWARD_CODE).toBe(20_000);
  });
});
