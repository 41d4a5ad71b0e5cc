import fc from 'fast-check';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { openTable } from '../../../../src/data/table.ts';
import { columnsOf, FORMATS, guessFormat, problemOf } from '../../../../src/tasks/code/formats.ts';
import { pickledText } from '../../../../src/tasks/code/pickled-text.ts';
import * as rows from './rows.ts';

/** Two rows' texts. */
const CODEFORCES_TEXTS = { title: ['A', 'B'], description: ['Add.', 'Add.'], input_format: ['Two.', null], output_format: ['One.', null], generated_checker: [null, null] };

/** A Parquet file of columns of text, and of lists of inputs and outputs. */
function nestedParquet(columns: Record<string, readonly unknown[]>): Uint8Array {
  const text = { type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' } as const;
  const schema: NonNullable<Parameters<typeof parquetWriteBuffer>[0]['schema']> = [{ name: 'root', num_children: Object.keys(columns).length }];
  for (const name of Object.keys(columns)) {
    if (name in CODEFORCES_TEXTS) schema.push({ name, ...text });
    else {
      schema.push({ name, repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'LIST' }, { name: 'list', repetition_type: 'REPEATED', num_children: 1 });
      schema.push({ name: 'element', repetition_type: 'OPTIONAL', num_children: 2 }, { name: 'input', ...text }, { name: 'output', ...text });
    }
  }
  return new Uint8Array(parquetWriteBuffer({ schema, columnData: Object.entries(columns).map(([name, data]) => ({ name, data: [...data] })) }));
}

describe('a row of DeepCoder', () => {
  it.each([
    ['primeintellect', rows.PRIME_STDIN, [['1 2\n', '3\n'], ['5 5\n', '10\n']]],
    ['taco', rows.TACO_STDIN, [['1 2\n', '3\n'], ['1\n2', '3']]],
    ['lcbv5', rows.LCB_STDIN, [['1 2\n', '3\n']]],
    ['codeforces', rows.DEEPCODER_CODEFORCES, [['1 2\n', '3\n']]],
  ])('of %s has tests that are read and printed, and says so', (_, row, wanted) => {
    const problem = problemOf('deepcoder', row, 100);
    expect(problem?.tests).toEqual(wanted.map(([input, output]) => ({ kind: 'stdin', input, output })));
    expect(problem?.question).toContain(row['problem']);
    expect(problem?.question).toMatch(/reads from standard input and prints to standard output\.$/);
  });

  it('may have tests that call a function, whose result is at times in a list of its own', () => {
    const wrapped = [{ kind: 'call', name: 'add', args: '[1,2]', expected: ['[3]', '3'] }];
    expect(problemOf('deepcoder', rows.PRIME_CALL, 100)?.tests).toEqual(wrapped);
    expect(problemOf('deepcoder', rows.TACO_CALL, 100)?.tests).toEqual([...wrapped, { kind: 'call', name: 'add', args: '[[1],2]', expected: ['3'] }]);
    expect(problemOf('deepcoder', rows.PRIME_CALL, 100)?.question).toMatch(/The function is called add\.$/);
    const lcb = problemOf('deepcoder', rows.LCB_CALL, 100);
    expect(lcb?.tests).toEqual([{ kind: 'call', name: 'add', args: '[1,2]', expected: ['3'] }]);
    expect(lcb?.question).toContain('Complete this:\nclass Solution:');
  });

  it('is asked for its beginnings of solutions only where it has them', () => {
    expect(columnsOf('deepcoder', 'lcbv5')).toEqual(['problem', 'tests', 'starter_code']);
    expect(columnsOf('deepcoder', 'primeintellect')).toEqual(['problem', 'tests']);
  });
});

describe('a row of LiveCodeBench', () => {
  it('has public tests, and hidden ones that are packed', () => {
    expect(problemOf('livecodebench', rows.LIVE_STDIN, 100)?.tests).toEqual([{ kind: 'stdin', input: '1\n2\n', output: '3\n' }, { kind: 'stdin', input: '4\n5\n', output: '9\n' }]);
    const call = problemOf('livecodebench', rows.LIVE_CALL, 100);
    expect(call?.tests).toEqual([{ kind: 'call', name: 'thing', args: '[[1],"y"]', expected: ['[1]'] }, { kind: 'call', name: 'thing', args: '[[1, 2],"x"]', expected: ['[3]'] }]);
    expect(call?.question).toContain('def thing(self, a: List[int], b: str)');
  });

  it('may have its hidden tests as plain text too, or damaged, and then the public ones count', () => {
    const plain = { ...rows.LIVE_STDIN, private_test_cases: '[{"input":"8\\n1\\n","output":"9\\n","testtype":"stdin"}]' };
    expect(problemOf('livecodebench', plain, 100)?.tests.length).toBe(2);
    for (const damaged of ['', 'eJxr', 'no base64 !', (rows.LIVE_STDIN['private_test_cases'] ?? '').slice(0, 40)]) {
      expect(problemOf('livecodebench', { ...rows.LIVE_STDIN, private_test_cases: damaged }, 100)?.tests.length).toBe(1);
    }
  });

  it('cannot bring a pickled program along, nor anything else than a text', () => {
    const systemCall = 'eJxrYJmqxAABPawF+cWZFVN62Iori0tSc6dMntLDnpqcka+QkTmldUrQFD0ALSYPag==';
    const list = 'eJxrYJnKwQABsVN6GBOnJOoBACKxBCQ=';
    const [protocol2, protocol4] = ['eJxrYIqwZmBgiK5WyswrKC1RslJQMonJM43JU9JRUMovLYGKWUIESlKLS0oqC1JBQsUlKZl5SrWxhQx6AKK9FCg=', rows.LIVE_STDIN['private_test_cases'] ?? ''];
    expect([systemCall, list].map(pickledText)).toEqual([null, null]);
    expect(pickledText(protocol2)).toBe(pickledText(protocol4));
    fc.assert(fc.property(fc.base64String({ maxLength: 200 }), (text) => pickledText(text) === null || typeof pickledText(text) === 'string'));
  });
});

describe('a row of CodeForces', () => {
  it('shows its examples and is judged by them and by the official tests, by each once', () => {
    const problem = problemOf('codeforces', rows.CODEFORCES, 100);
    expect(problem?.tests).toEqual([['1 2\n', '3\n'], ['7 8\n', '15\n']].map(([input, output]) => ({ kind: 'stdin', input, output })));
    expect(problem?.question).toContain('A. Sums\n\nAdd two numbers.\n\nInput\nOne line with two numbers.\n\nOutput\nTheir sum.\n\nExample input\n1 2\n\nExample output\n3');
  });

  it('is read from Parquet, where examples and tests are lists of records', async () => {
    const [examples, official] = [[{ input: '1 2\n', output: '3\n' }], [{ input: '7 8\n', output: '15\n' }]];
    const bytes = nestedParquet({ ...CODEFORCES_TEXTS, examples: [examples, examples], official_tests: [official, null] });
    const table = await openTable({ name: 'x.parquet', bytes: bytes.length, read: (start, end) => Promise.resolve(bytes.subarray(start, end)) });
    const read = await table.rows(columnsOf('codeforces', undefined), 10);
    expect(read.map((row) => problemOf('codeforces', row, 9)?.tests.length)).toEqual([2, 1]);
  });

  it('is left out where only a program of the set’s own could judge', () => {
    expect(problemOf('codeforces', { ...rows.CODEFORCES, generated_checker: 'import sys' }, 100)).toBeNull();
  });
});

describe('every format', () => {
  const ROWS = [['deepcoder', rows.PRIME_STDIN], ['livecodebench', rows.LIVE_STDIN], ['codeforces', rows.CODEFORCES]] as const;

  it('is told by its columns', () => {
    for (const [format, row] of ROWS) expect(guessFormat([...Object.keys(row), 'id'])).toBe(format);
    expect(guessFormat(['question', 'answer'])).toBeNull();
  });

  it('takes as many tests as are wanted, and none that is too large', () => {
    for (const [format, row] of ROWS) expect(problemOf(format, row, 1)?.tests.length).toBe(1);
    const huge = JSON.stringify([{ input: 'x'.repeat(200_000), output: '1' }, { input: '1', output: '1' }]);
    expect(problemOf('deepcoder', { problem: 'p', tests: huge }, 100)?.tests.length).toBe(1);
  });

  it('leaves out numbers that lost digits when they were read, and names that cannot be called', () => {
    const call = (fn: string, input: string, output: string): unknown => problemOf('deepcoder', { problem: 'p', tests: `[{"type":"function_call","fn_name":"${fn}","input":${input},"output":${output}}]` }, 9);
    expect(call('f', '[12345678901234567890]', '1')).toBeNull();
    expect(call('f', '[1]', '[[12345678901234567890]]')).toBeNull();
    expect(call('f); import os; (f', '[1]', '1')).toBeNull();
    expect(call('__import__("os").system', '[1]', '1')).toBeNull();
    expect(call('f', '[1]', '1')).not.toBeNull();
  });

  it('gives no problem, and throws nothing, for any other row', () => {
    const cell = fc.oneof(fc.string(), fc.json(), fc.constant('[{"input":1,"output":[]}]'), fc.constant('{"inputs":[null],"outputs":[]}'));
    fc.assert(
      fc.property(fc.constantFrom(...FORMATS), fc.infiniteStream(cell), (format, cells) => {
        const row = Object.fromEntries(columnsOf(format, undefined).map((column) => [column, cells.next().value as string]));
        const problem = problemOf(format, row, 5);
        expect(problem === null || problem.tests.length > 0).toBe(true);
      }),
      { numRuns: 300 },
    );
    for (const format of FORMATS) expect(problemOf(format, {}, 5)).toBeNull();
  });
});
