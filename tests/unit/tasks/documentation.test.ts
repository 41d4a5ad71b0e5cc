/** docs/tasks.md says what the code does, and its example is a task. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/random/random.ts';
import { DEFAULT_LIMITS } from '../../../src/sandbox/types.ts';
import { codeOptions } from '../../../src/tasks/code/code.ts';
import { columnsOf, FORMATS, problemOf } from '../../../src/tasks/code/formats.ts';
import { TASK_NAMES, taskByName } from '../../../src/tasks/registry.ts';
import { verdictOf } from './verdict.ts';
import { vowels } from './vowels.ts';

const page = readFileSync(new URL('../../../docs/tasks.md', import.meta.url), 'utf8');
const example = readFileSync(new URL('./vowels.ts', import.meta.url), 'utf8');

/** The cells of every line of a table that begins with a name in code. */
const rows = page.split('\n').filter((line) => line.startsWith('| `')).map((line) => line.split('|').slice(1, -1).map((cell) => cell.trim()));
const rowOf = (name: string): string[] => rows.find(([first]) => first === `\`${name}\``) ?? [];

describe('the page on tasks', () => {
  it('lists every task with its chance level', () => {
    for (const name of TASK_NAMES) expect(Number(rowOf(name)[2]), name).toBe(Number(taskByName(name).chance.toFixed(name === 'reversing' ? 4 : 3)));
  });

  it('shows a whole task that works', () => {
    expect(page).toContain(`\`\`\`ts\n${example.replaceAll("'../../../src/tasks/", "'./").replaceAll("'../../../src/", "'../")}\`\`\``);
    const task = vowels();
    const heldOut = task.heldOut(200, 1);
    const ids = new Set(heldOut.map(({ id }) => id));
    expect(ids.size).toBe(200);
    const random = new Random(1);
    for (let k = 0; k < 300; k++) expect(ids.has(task.train(random).id)).toBe(false);
    for (const problem of heldOut) {
      const [letters = ''] = /\w+(?=\?)/.exec(problem.question) ?? [];
      expect(verdictOf(task, problem, ` ${letters.replace(/[^aeiou]/g, '').length}\n`).reward).toBe(1);
      expect(verdictOf(task, problem, `${problem.answer}0`).reward).toBe(0);
    }
    const three = task.heldOut(2000, 2).filter(({ answer }) => answer === '3').length / 2000;
    expect(three).toBeCloseTo(task.chance, 1);
  });

  it('names every format’s columns, and its lines of a file are problems', () => {
    for (const format of FORMATS) for (const column of columnsOf(format, undefined)) expect(rowOf(format)[1], format).toContain(`\`${column}\``);
    const lines = /```json\n([^`]+)```/.exec(page)?.[1]?.trim().split('\n') ?? [];
    const problems = lines.map((line) => {
      const { problem, tests } = JSON.parse(line) as { problem: string; tests: unknown };
      return problemOf('deepcoder', { problem, tests: JSON.stringify(tests) }, 10);
    });
    expect(problems.map((problem) => problem?.tests.map(({ kind }) => kind))).toEqual([['stdin', 'stdin'], ['call', 'call']]);
  });

  it('tells the defaults and limits', () => {
    const { language, reward, maxTests, seconds } = codeOptions.parse({});
    expect([rowOf('language')[2], rowOf('reward')[2], rowOf('maxTests')[2], rowOf('seconds')[2]]).toEqual([`\`${language}\``, `\`${reward}\``, String(maxTests), String(seconds)]);
    expect(page).toContain(`| time for one test | ${DEFAULT_LIMITS.testMs / 1000} s`);
    expect(page).toContain(`| memory | ${Math.round(DEFAULT_LIMITS.memoryBytes / 1e6)} MB`);
    expect(page).toContain(`| output for one test | ${Math.round(DEFAULT_LIMITS.outputBytes / 1e6)} MB`);
  });
});
