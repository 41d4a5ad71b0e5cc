/** Programming problems: the answer's program is run against tests, in a sandbox. */
import { z } from 'zod';
import { Random } from '../../random/random.ts';
import { PlaygroundError } from '../../runtime/errors.ts';
import { DEFAULT_LIMITS, LANGUAGES, type Language, type Limits, type Sandbox } from '../../sandbox/types.ts';
import { normalisedQuestion, splitByHash, splitByTest, type SplitProblems } from '../dataset/split-rows.ts';
import type { TaskServices } from '../services.ts';
import type { Problem, Task, Verdict } from '../types.ts';
import { BUILT_IN } from './built-in.ts';
import { lastFenced } from './fence.ts';
import { columnsOf, FORMATS, problemOf, type CodeProblem, type Format } from './formats.ts';
import { runTests, type CodeTest } from './run-tests.ts';

export const CODE = 'code';

const OWN = 'built-in';
const FILE = 'file';

/** Sets with a name of their own here: where they are on the Hub, and which of their subsets is read unless another one is named. */
const KNOWN: Record<string, { source: string; format: Format; config?: string }> = {
  deepcoder: { source: 'hub:agentica-org/DeepCoder-Preview-Dataset', format: 'deepcoder', config: 'primeintellect' },
  livecodebench: { source: 'hub:livecodebench/code_generation_lite', format: 'livecodebench' },
  codeforces: { source: 'hub:open-r1/codeforces', format: 'codeforces', config: 'verifiable' },
};

const NAMES: Record<Language, string> = { python: 'Python', javascript: 'JavaScript' };
const MAX_QUESTION = 20_000;
const SAMPLE = 32;
const TEST_SPLITS = ['test', 'validation'];
/** Tests that are shown of a problem. */
const SHOWN_TESTS = 2;

const name = z.string().regex(/^[\w.-]{1,200}$/, 'letters, digits, "_", "." and "-"');

export const codeOptions = z.strictObject({
  source: z
    .string()
    .max(300)
    .regex(new RegExp(`^(?:${[OWN, ...Object.keys(KNOWN), FILE].join('|')}|hub:[\\w.-]+/[\\w.-]+(?:@[\\w./-]+)?)$`), `one of ${[OWN, ...Object.keys(KNOWN), FILE].map((one) => `"${one}"`).join(', ')} or "hub:owner/name"`)
    .default(OWN),
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
  reward: z.enum(['all', 'fraction']).default('all'),
  maxTests: z.int().min(1).max(100).default(10),
  /** A test may take so long. */
  seconds: z.number().min(0.5).max(20).default(DEFAULT_LIMITS.testMs / 1000),
});
export type CodeOptions = z.output<typeof codeOptions>;

/** Parts: whether all tests pass, the fraction that does, and whether there is a program at all. */
export function codeTask(options: CodeOptions): Task {
  const { language, reward } = options;
  const limits: Limits = { ...DEFAULT_LIMITS, testMs: options.seconds * 1000, totalMs: options.seconds * 3000 };
  const tests = new Map<string, readonly CodeTest[]>();
  let sandbox: Sandbox | null = null;
  let problems: SplitProblems | null = options.source === OWN ? splitByHash(asProblems(Object.values(BUILT_IN))) : null;

  function asProblems(found: readonly CodeProblem[]): Problem[] {
    return found.flatMap(({ question, tests: own }) => {
      if (question.length > MAX_QUESTION) return [];
      const id = `${CODE}:${normalisedQuestion(question)}`;
      tests.set(id, own.slice(0, options.maxTests));
      return [{ id, question: `${question}\n\nLanguage: ${NAMES[language]}.`, answer: own.slice(0, SHOWN_TESTS).map(shown).join('\n') }];
    });
  }

  const prepared = (): SplitProblems => {
    if (problems) return problems;
    throw new PlaygroundError('data-not-read', 'The programming problems have not been read yet.', 'Start the run again.');
  };

  async function read(services: TaskServices): Promise<SplitProblems> {
    const known = KNOWN[options.source];
    const format = known?.format ?? options.format;
    const config = options.config ?? known?.config;
    const request = { source: known?.source ?? options.source, sha256: options.sha256, config, split: options.split, columns: columnsOf(format, config), limit: options.limit };
    const all = await services.rows(request);
    const testSplit = options.testSplit ?? (all.split !== null && TEST_SPLITS.includes(all.split) ? undefined : TEST_SPLITS.find((one) => all.splits.includes(one)));
    const test = testSplit === undefined ? null : await services.rows({ ...request, split: testSplit });
    const of = (rows: typeof all.rows): Problem[] => asProblems(rows.flatMap((row) => problemOf(format, row, options.maxTests) ?? []));
    const rest = of(all.rows);
    const split = test ? splitByTest(rest, of(test.rows)) : splitByHash(rest);
    if (split.train.length > 0 && split.heldOut.length > 0) return split;
    throw new PlaygroundError('data-no-problems', `There are too few problems with tests in ${options.source === FILE ? (options.file ?? 'the file') : options.source}: ${split.train.length} to train on and ${split.heldOut.length} held out.`, 'Check the option "format", or take more rows with the option "limit".');
  }

  return {
    name: CODE,
    description: `Programming problems in ${NAMES[language]}: one agent plans, another one writes the program, which is run against tests.`,
    chance: 0,
    parts: reward === 'all' ? ['correct', 'passed', 'code'] : ['passed', 'correct', 'code'],
    async prepare(services) {
      if (!services.sandbox) throw new PlaygroundError('sandbox-unavailable', 'Programs cannot be run here.', 'Run the experiment in the page or with "marft run".');
      ({ sandbox } = services);
      problems ??= await read(services);
    },
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
      if (!sandbox) throw new PlaygroundError('sandbox-unavailable', 'Programs cannot be run here.', 'Start the run again.');
      const outcomes = await runTests(sandbox, { language, code: fenced.code }, own, limits, reward === 'all');
      const passed = outcomes.filter(({ kind }) => kind === 'passed').length;
      return verdict(passed === own.length ? 1 : 0, passed / own.length, 1);
    },
  };

  function verdict(correct: number, passed: number, code: number): Verdict {
    return { reward: reward === 'all' ? correct : passed, parts: { correct, passed, code } };
  }
}

function shown(test: CodeTest): string {
  return test.kind === 'stdin' ? `reads ${JSON.stringify(test.input.trim())}, prints ${JSON.stringify(test.output.trim())}` : `${test.name}(${test.args.slice(1, -1)}) is ${test.expected[0] ?? ''}`;
}
