/** Programming problems: the answer's program is run against tests, in a sandbox. */
import { z } from 'zod';
import { Random } from '../../random/random.ts';
import { PlaygroundError } from '../../runtime/errors.ts';
import { DEFAULT_LIMITS, LANGUAGES, type Language, type Limits, type Sandbox } from '../../sandbox/types.ts';
import { USER_FILE } from '../dataset/dataset.ts';
import { normalisedQuestion, splitByHash, splitByTest, type SplitProblems } from '../dataset/split-rows.ts';
import type { RowSet, TaskServices } from '../services.ts';
import type { Problem, Task, Verdict } from '../types.ts';
import { BUILT_IN } from './built-in.ts';
import { lastFenced } from './fence.ts';
import { columnsOf, FORMATS, problemOf, type CodeProblem } from './formats.ts';
import { CODE_SET_NAMES, codeSet } from './known-sets.ts';
import { runTests, type CodeTest } from './run-tests.ts';

export const CODE = 'code';

/** The source of the problems that come with the program. */
export const OWN_PROBLEMS = 'built-in';
const SOURCES = [OWN_PROBLEMS, ...CODE_SET_NAMES, USER_FILE];

export const LANGUAGE_NAMES: Record<Language, string> = { python: 'Python', javascript: 'JavaScript' };
const MAX_QUESTION = 20_000;
const SAMPLE = 32;
const TEST_SPLITS = ['test', 'validation'];
/** Tests that are shown of a problem. */
const SHOWN_TESTS = 2;

export const CODE_REWARDS = ['all', 'fraction'] as const;

const name = z.string().regex(/^[\w.-]{1,200}$/, 'letters, digits, "_", "." and "-"');

export const codeOptions = z.strictObject({
  source: z
    .string()
    .max(300)
    .regex(new RegExp(`^(?:${SOURCES.join('|')}|hub:[\\w.-]+/[\\w.-]+(?:@[\\w./-]+)?)$`), `one of ${SOURCES.map((one) => `"${one}"`).join(', ')} or "hub:owner/name" with or without "@revision"`)
    .default(OWN_PROBLEMS),
  /** How a set that is not known writes down its problems. */
  format: z.enum(FORMATS).default('deepcoder'),
  sha256: z.string().regex(/^[0-9a-f]{64}$/, '64 hexadecimal digits').optional(),
  file: z.string().max(200).optional(),
  config: name.optional(),
  split: name.optional(),
  testSplit: name.optional(),
  limit: z.int().min(2).max(10_000).default(400),
  language: z.enum(LANGUAGES).default('python'),
  /** All tests have to pass, or each one counts. */
  reward: z.enum(CODE_REWARDS).default('all'),
  maxTests: z.int().min(1).max(100).default(10),
  /** A test may take so long. */
  seconds: z.number().min(0.5).max(20).default(DEFAULT_LIMITS.testMs / 1000),
});
export type CodeOptions = z.output<typeof codeOptions>;

export interface CodeTask extends Task {
  /** Reads the problems, as `prepare` does where programs can be run as well. */
  read(services: Pick<TaskServices, 'rows'>): Promise<void>;
  prepare(services: TaskServices): Promise<void>;
  /** How many problems there are, and how many rows gave none. Throws before the problems have been read. */
  counts(): { train: number; heldOut: number; leftOut: number };
}

/**
 * Parts: whether all tests pass, the fraction that does, and whether there is a program at all. Held out is the set's own test split where it has one,
 * else a fifth by a hash of the question.
 */
export function codeTask(options: CodeOptions): CodeTask {
  const { language, reward } = options;
  const limits: Limits = { ...DEFAULT_LIMITS, testMs: options.seconds * 1000, totalMs: options.seconds * 3000 };
  const tests = new Map<string, readonly CodeTest[]>();
  let sandbox: Sandbox | null = null;
  let problems: SplitProblems | null = options.source === OWN_PROBLEMS ? splitByHash(asProblems(Object.values(BUILT_IN))) : null;
  let leftOut = 0;

  function asProblems(found: readonly CodeProblem[]): Problem[] {
    return found.flatMap(({ question, tests: own }) => {
      if (question.length > MAX_QUESTION) return [];
      const id = `${CODE}:${normalisedQuestion(question)}`;
      tests.set(id, own.slice(0, options.maxTests));
      return [{ id, question: `${question}\n\nLanguage: ${LANGUAGE_NAMES[language]}.`, answer: own.slice(0, SHOWN_TESTS).map(shown).join('\n') }];
    });
  }

  const prepared = (): SplitProblems => {
    if (problems) return problems;
    throw new PlaygroundError('data-not-read', 'The programming problems have not been read yet.', 'Start the run again.');
  };

  async function read(services: Pick<TaskServices, 'rows'>): Promise<void> {
    if (problems) return;
    const known = codeSet(options.source);
    const format = known?.format ?? options.format;
    const config = options.config ?? known?.config;
    const request = { source: known?.source ?? options.source, sha256: options.sha256, config, split: options.split, columns: columnsOf(format, config), limit: options.limit };
    const all = await services.rows(request);
    const testSplit = options.testSplit ?? (all.split !== null && TEST_SPLITS.includes(all.split) ? undefined : TEST_SPLITS.find((one) => all.splits.includes(one)));
    const test = testSplit === undefined ? null : await services.rows({ ...request, split: testSplit });
    const of = ({ rows }: RowSet): Problem[] => asProblems(rows.flatMap((row) => problemOf(format, row, options.maxTests) ?? []));
    const rest = of(all);
    const held = test ? of(test) : [];
    const split = test ? splitByTest(rest, held) : splitByHash(rest);
    leftOut = all.rows.length + (test?.rows.length ?? 0) - rest.length - held.length;
    if (split.train.length === 0 || split.heldOut.length === 0) throw tooFew(options, split);
    problems = split;
  }

  return {
    name: CODE,
    description: `Programming problems in ${LANGUAGE_NAMES[language]}: one agent plans, another one writes the program, which is run against tests.`,
    watch: 'An answer without a program between fences earns nothing: look at the part "code" before you look at the reward.',
    chance: 0,
    parts: reward === 'all' ? ['correct', 'passed', 'code'] : ['passed', 'correct', 'code'],
    async prepare(services) {
      if (!services.sandbox) throw new PlaygroundError('sandbox-unavailable', 'Programs cannot be run here.', 'Run the experiment in the page or with "marft run".');
      ({ sandbox } = services);
      await read(services);
    },
    read,
    counts: () => ({ train: prepared().train.length, heldOut: prepared().heldOut.length, leftOut }),
    train: (random) => random.pick(prepared().train),
    heldOut(count, seed) {
      const order = new Random(seed, 0xc0de).shuffled(prepared().heldOut);
      return Array.from({ length: count }, (_, k) => order[k % order.length]).filter((problem) => problem !== undefined);
    },
    sample() {
      if (!problems) return [{ id: 'usual', question: 'word '.repeat(400), answer: '' }];
      return [...problems.train, ...problems.heldOut].sort((a, b) => b.question.length - a.question.length).slice(0, SAMPLE);
    },
    async verify(problem, answer) {
      const fenced = lastFenced(answer);
      const own = tests.get(problem.id) ?? [];
      if (!fenced || own.length === 0) return verdict(0, 0, 0);
      try {
        if (!sandbox) throw new PlaygroundError('sandbox-unavailable', 'Programs cannot be run here.', 'Start the run again.');
        const outcomes = await runTests(sandbox, { language, code: fenced.code }, own, limits, reward === 'all');
        const passed = outcomes.filter(({ kind }) => kind === 'passed').length;
        return verdict(passed === own.length ? 1 : 0, passed / own.length, 1);
      } catch (error) {
        if (!(error instanceof PlaygroundError)) throw error;
        return { ...verdict(0, 0, 1), fault: `${error.message} ${error.hint}` };
      }
    },
  };

  function verdict(correct: number, passed: number, code: number): Verdict {
    return { reward: reward === 'all' ? correct : passed, parts: { correct, passed, code } };
  }
}

function tooFew({ source, file }: CodeOptions, { train, heldOut }: SplitProblems): PlaygroundError {
  const found = train.length + heldOut.length;
  const title = source === USER_FILE ? (file ?? 'your file') : source.replace(/^hub:/, '');
  return new PlaygroundError(
    'data-no-problems',
    `${title} has ${found === 0 ? 'no problem' : found === 1 ? 'one problem' : `${found} problems`} with tests that can be run here, to train on and to hold out together.`,
    'Choose the format in which the set is written, or take more of its rows.',
  );
}

function shown(test: CodeTest): string {
  return test.kind === 'stdin' ? `reads ${JSON.stringify(test.input.trim())}, prints ${JSON.stringify(test.output.trim())}` : `${test.name}(${test.args.slice(1, -1)}) is ${test.expected[0] ?? ''}`;
}
