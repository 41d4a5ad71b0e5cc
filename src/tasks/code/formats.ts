/** From a row of a data set to a problem with tests, by the formats in which such sets write them down. */
import { z } from 'zod';
import { FUNCTION_NAME } from '../../sandbox/types.ts';
import type { Row } from '../services.ts';
import { pickledText } from './pickled-text.ts';
import type { CodeTest } from './run-tests.ts';

export interface CodeProblem {
  question: string;
  tests: readonly CodeTest[];
}

export const FORMATS = ['deepcoder', 'livecodebench', 'codeforces'] as const;
export type Format = (typeof FORMATS)[number];

/** A problem has tests by the hundred at times, and megabytes of them; those that are larger than this are left out. */
const MAX_TEST_CHARS = 100_000;

interface FormatKind {
  /** Columns that a row must have. */
  columns: readonly string[];
  /** Null where a row has no problem that can be judged here. */
  read(row: Row): CodeProblem | null;
}

/** The columns of a format, so that nothing else is fetched. */
export function columnsOf(format: Format, config: string | undefined): readonly string[] {
  // Only this subset of DeepCoder's comes with the beginnings of solutions.
  return format === 'deepcoder' && config === 'lcbv5' ? [...KINDS.deepcoder.columns, 'starter_code'] : KINDS[format].columns;
}

/** The format in which a table with these columns seems to be written; null where it is none of them. */
export function guessFormat(columns: readonly string[]): Format | null {
  return FORMATS.find((format) => KINDS[format].columns.every((column) => columns.includes(column))) ?? null;
}

/** The problem of a row, with at most `maxTests` tests; null where there is none that can be judged here. */
export function problemOf(format: Format, row: Row, maxTests: number): CodeProblem | null {
  const found = KINDS[format].read(row);
  if (!found || found.question.trim() === '') return null;
  // Examples mostly stand among the official tests again.
  const tests = [...new Map(found.tests.filter(isUsable).map((test) => [JSON.stringify(test), test])).values()].slice(0, maxTests);
  return tests.length > 0 ? { question: found.question.trim(), tests } : null;
}

function isUsable(test: CodeTest): boolean {
  if (test.kind === 'stdin') return test.input.length + test.output.length <= MAX_TEST_CHARS;
  return FUNCTION_NAME.test(test.name) && test.args.length + test.expected.join().length <= MAX_TEST_CHARS;
}

const text = z.union([z.string(), z.array(z.string()).transform((lines) => lines.join('\n'))]);
/** Inputs and outputs side by side, as APPS and TACO write them. */
const sideBySide = z.looseObject({ fn_name: z.string().nullish(), inputs: z.array(z.unknown()), outputs: z.array(z.unknown()) });
/** One entry a test, as LiveCodeBench and PrimeIntellect write them. */
const entry = z.looseObject({
  input: z.unknown(),
  output: z.unknown(),
  type: z.string().nullish(),
  testtype: z.string().nullish(),
  fn_name: z.string().nullish(),
  metadata: z.looseObject({ func_name: z.string().nullish() }).nullish().catch(null),
});
const entries = z.array(entry);
const example = z.looseObject({ input: z.string(), output: z.string() });

const KINDS: Record<Format, FormatKind> = {
  deepcoder: {
    columns: ['problem', 'tests'],
    read(row) {
      const written = parsed(row['tests']);
      const together = sideBySide.safeParse(written);
      const single = entries.safeParse(written);
      const tests = together.success ? sideTests(together.data) : single.success ? single.data.flatMap((one) => entryTest(one, null)) : [];
      return { question: withStarter(row['problem'] ?? '', row['starter_code'], tests), tests };
    },
  },
  livecodebench: {
    columns: ['question_content', 'starter_code', 'public_test_cases', 'private_test_cases', 'metadata'],
    read(row) {
      const name = z.looseObject({ func_name: z.string().nullish() }).safeParse(parsed(row['metadata']));
      const of = (cell: string | undefined): CodeTest[] => {
        const read = entries.safeParse(parsed(cell) ?? parsed(pickledText(cell ?? '') ?? ''));
        return read.success ? read.data.flatMap((one) => entryTest(one, name.success ? (name.data.func_name ?? null) : null)) : [];
      };
      const tests = [...of(row['public_test_cases']), ...of(row['private_test_cases'])];
      return { question: withStarter(row['question_content'] ?? '', row['starter_code'], tests), tests };
    },
  },
  codeforces: {
    columns: ['title', 'description', 'input_format', 'output_format', 'examples', 'official_tests', 'generated_checker'],
    read(row) {
      // Where several answers are right, only a program of the set's own could tell.
      if ((row['generated_checker'] ?? '').trim() !== '') return null;
      const of = (cell: string | undefined): CodeTest[] => {
        const read = z.array(example).safeParse(parsed(cell));
        return read.success ? read.data.map(({ input, output }) => ({ kind: 'stdin', input, output })) : [];
      };
      const examples = of(row['examples']);
      const part = (heading: string, cell: string | undefined): string => (cell?.trim() ? `\n\n${heading}\n${cell.trim()}` : '');
      const shown = examples.map((one) => (one.kind === 'stdin' ? `\n\nExample input\n${one.input.trim()}\n\nExample output\n${one.output.trim()}` : '')).join('');
      const question = `${row['title'] ?? ''}\n\n${row['description'] ?? ''}${part('Input', row['input_format'])}${part('Output', row['output_format'])}${shown}`;
      return { question: withStarter(question, undefined, examples), tests: [...examples, ...of(row['official_tests'])] };
    },
  },
};

function sideTests({ fn_name: name, inputs, outputs }: z.output<typeof sideBySide>): CodeTest[] {
  return inputs.flatMap((input, k) => {
    const output = outputs[k];
    if (output === undefined) return [];
    return name ? callTest(name, input, output) : stdinTest(input, output);
  });
}

function entryTest({ input, output, type, testtype, fn_name: own, metadata }: z.output<typeof entry>, named: string | null): CodeTest[] {
  const name = own ?? metadata?.func_name ?? named;
  const isCall = testtype === 'functional' || type === 'function_call' || ((testtype ?? type ?? null) === null && Boolean(name));
  if (!isCall) return stdinTest(input, output);
  if (!name) return [];
  // LiveCodeBench writes one argument a line, and all as JSON.
  if (typeof input === 'string' && typeof output === 'string') {
    const lines = input.split('\n').filter((line) => line.trim() !== '');
    return [...lines, output].every((line) => isJson(line)) ? [{ kind: 'call', name, args: `[${lines.join(',')}]`, expected: [output] }] : [];
  }
  return callTest(name, input, output);
}

function stdinTest(input: unknown, output: unknown): CodeTest[] {
  const read = z.tuple([text, text]).safeParse([input, output]);
  return read.success ? [{ kind: 'stdin', input: read.data[0], output: read.data[1] }] : [];
}

/** A result is at times wrapped into a list of its own, and nothing says when. */
function callTest(name: string, input: unknown, output: unknown): CodeTest[] {
  if (!Array.isArray(input) || output === undefined || hasLostDigits(input) || hasLostDigits(output)) return [];
  const expected = [output, ...(Array.isArray(output) && output.length === 1 ? [output[0] as unknown] : [])];
  return [{ kind: 'call', name, args: JSON.stringify(input), expected: expected.map((one) => JSON.stringify(one)) }];
}

/** Whether a whole number is longer than what JSON is read into holds: then nobody knows what it was. */
function hasLostDigits(value: unknown): boolean {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER;
  return typeof value === 'object' && value !== null && Object.values(value).some(hasLostDigits);
}

/** The question with how it is to be answered: with a program that reads and prints, or with the function that is begun. */
function withStarter(question: string, starter: string | undefined, tests: readonly CodeTest[]): string {
  const [first] = tests;
  if (first?.kind !== 'call') return `${question}\n\nThe program reads from standard input and prints to standard output.`;
  const begun = starter?.trim();
  return begun ? `${question}\n\nComplete this:\n${begun}` : `${question}\n\nThe function is called ${first.name}.`;
}

/** Null where the text is no JSON. */
function parsed(cell: string | undefined): unknown {
  try {
    return JSON.parse(cell ?? '') as unknown;
  } catch {
    return null;
  }
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
