/** Mathematical problems from a table: a known data set, another one of the Hub, or the user's own file. */
import { z } from 'zod';
import { Random } from '../../random/random.ts';
import { PlaygroundError } from '../../runtime/errors.ts';
import { verifyMaths } from '../maths/verify.ts';
import type { Row, RowSet, RowsRequest, TaskServices } from '../services.ts';
import type { Problem, Task } from '../types.ts';
import { ANSWER_FROM, answerFrom, type AnswerFrom } from './answer-from.ts';
import { KNOWN_SET_NAMES, knownSet } from './known-sets.ts';
import { normalisedQuestion, splitByHash, splitByTest, type SplitProblems } from './split-rows.ts';

export const DATASET = 'dataset';

/** The source of the file that the user gives beside the experiment: no experiment names a place on anybody's disk. */
export const USER_FILE = 'file';

/** Rows that are read of a split at most. */
const MAX_ROWS = 100_000;
/** A longer question is no problem for these models. */
const MAX_QUESTION = 20_000;
/** Splits that a set's authors hold out, the first of them that there is. */
const TEST_SPLITS = ['test', 'validation', 'valid', 'dev', 'eval'];
/** Held-out problems that memory is reckoned with. */
const SAMPLE = 32;
const LONG_QUESTION = 1000;

const column = z.string().min(1).max(200);
const name = z.string().regex(/^[\w.-]{1,200}$/, 'letters, digits, "_", "." and "-"');

export const datasetOptions = z.strictObject({
  source: z
    .string()
    .max(300)
    .regex(new RegExp(`^(?:${KNOWN_SET_NAMES.join('|')}|${USER_FILE}|hub:[\\w.-]+/[\\w.-]+(?:@[\\w./-]+)?)$`), `one of ${[...KNOWN_SET_NAMES, USER_FILE].map((one) => `"${one}"`).join(', ')} or "hub:owner/name" with or without "@revision"`)
    .default('gsm8k'),
  /** Of the user's file, for people; and its SHA-256, so that another one is not taken for it. */
  file: z.string().max(200).optional(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/, '64 hexadecimal digits').optional(),
  config: name.optional(),
  /** The split that is trained on, and the one that is held out. */
  split: name.optional(),
  testSplit: name.optional(),
  question: column.optional(),
  answer: column.optional(),
  answerFrom: z.enum(ANSWER_FROM).optional(),
  limit: z.int().min(2).max(MAX_ROWS).default(10_000),
});
export type DatasetOptions = z.output<typeof datasetOptions>;

export interface DatasetTask extends Task {
  prepare(services: TaskServices): Promise<void>;
  /** How many problems there are, and how many rows gave none. Throws before `prepare`. */
  counts(): { train: number; heldOut: number; leftOut: number };
}

/**
 * Held out is the set's own test split where it has one, else a fifth by a hash of the question; a question in both is not trained on. Its
 * problems are there once `prepare` has been awaited; before that `train` and `heldOut` throw a PlaygroundError (`data-not-read`).
 */
export function dataset(options: DatasetOptions): DatasetTask {
  const known = knownSet(options.source);
  const question = options.question ?? known?.question ?? 'question';
  const answer = options.answer ?? known?.answer ?? 'answer';
  const how: AnswerFrom = options.answerFrom ?? known?.answerFrom ?? 'whole';
  const title = known ? (known.title.split(':')[0] ?? '') : options.source === USER_FILE ? (options.file ?? 'your file') : options.source.replace(/^hub:/, '');
  let problems: SplitProblems | null = null;
  let leftOut = 0;

  const prepared = (): SplitProblems => {
    if (problems) return problems;
    throw new PlaygroundError('data-not-read', `The problems of ${title} have not been read yet.`, 'Start the run again.');
  };

  function problemsOf(rows: readonly Row[]): Problem[] {
    return rows.flatMap((row) => {
      const text = row[question]?.trim() ?? '';
      const expected = answerFrom(row[answer] ?? '', how);
      if (text === '' || text.length > MAX_QUESTION || expected === null) return [];
      return [{ id: `${DATASET}:${normalisedQuestion(text)}`, question: text, answer: expected }];
    });
  }

  return {
    name: DATASET,
    description: `Problems of ${title}: one agent works them out, another one gives the final answer in a box.`,
    // Answers are free: guessing earns nothing worth mentioning.
    chance: 0,
    parts: ['correct', 'boxed'],
    async prepare(services) {
      const request: RowsRequest = {
        source: known?.source ?? options.source,
        sha256: options.sha256,
        config: options.config ?? known?.config,
        split: options.split ?? known?.split,
        columns: [...new Set([question, answer])],
        limit: options.limit,
      };
      const all = await services.rows(request);
      const testSplit = options.testSplit ?? testSplitOf(all);
      const test = testSplit === undefined ? null : await services.rows({ ...request, split: testSplit });
      const rest = problemsOf(all.rows);
      const held = problemsOf(test?.rows ?? []);
      const read = test ? splitByTest(rest, held) : splitByHash(rest);
      leftOut = all.rows.length + (test?.rows.length ?? 0) - rest.length - held.length;
      if (read.train.length === 0 || read.heldOut.length === 0) throw tooFew(title, all.rows.length, read, how);
      problems = read;
    },
    counts: () => ({ train: prepared().train.length, heldOut: prepared().heldOut.length, leftOut }),
    train: (random) => random.pick(prepared().train),
    heldOut(count, seed) {
      const order = new Random(seed, 0xda7a).shuffled(prepared().heldOut);
      return Array.from({ length: count }, (_, k) => order[k % order.length]).filter((problem) => problem !== undefined);
    },
    sample() {
      if (!problems) return [{ id: 'usual', question: 'word '.repeat((known?.longQuestion ?? LONG_QUESTION) / 5), answer: '' }];
      return [...problems.train, ...problems.heldOut].sort((a, b) => b.question.length - a.question.length).slice(0, SAMPLE);
    },
    verify: ({ answer: expected }, utterance) => verifyMaths(expected, utterance),
  };
}

function testSplitOf({ split, splits }: RowSet): string | undefined {
  // Whoever trains on a test split has said so; then it is divided like any other table.
  return split !== null && TEST_SPLITS.includes(split) ? undefined : TEST_SPLITS.find((one) => splits.includes(one));
}

function tooFew(title: string, rows: number, { train, heldOut }: SplitProblems, how: AnswerFrom): PlaygroundError {
  const found = train.length + heldOut.length;
  if (rows > 0 && found === 0) {
    const wanted = { whole: 'an answer', hashes: 'an answer after ####', boxed: 'an answer in \\boxed{…}' }[how];
    return new PlaygroundError('data-no-problems', `None of the ${rows} rows of ${title} has a question and ${wanted}.`, 'Choose other columns, or another way to take the answer from its column.');
  }
  return new PlaygroundError('data-too-few', `${title} has ${found === 1 ? 'one problem' : `${found} problems`} to train on and to hold out together.`, 'Two different questions are the least.');
}
