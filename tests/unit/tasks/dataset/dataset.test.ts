import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/random/random.ts';
import { PlaygroundError } from '../../../../src/runtime/errors.ts';
import { answerFrom, guessAnswerFrom } from '../../../../src/tasks/dataset/answer-from.ts';
import { dataset, datasetOptions, type DatasetTask } from '../../../../src/tasks/dataset/dataset.ts';
import { KNOWN_SET_NAMES } from '../../../../src/tasks/dataset/known-sets.ts';
import { normalisedQuestion } from '../../../../src/tasks/dataset/split-rows.ts';
import { taskByName } from '../../../../src/tasks/registry.ts';
import type { Row, RowsRequest, TaskServices } from '../../../../src/tasks/services.ts';
import { verdictOf } from '../verdict.ts';

/** Rows by split, and what was asked for. */
function tables(splits: Record<string, Row[]>): TaskServices & { asked: RowsRequest[] } {
  const asked: RowsRequest[] = [];
  return {
    asked,
    rows(request) {
      asked.push(request);
      const split = request.split ?? 'train';
      return Promise.resolve({ rows: (splits[split] ?? []).slice(0, request.limit), split, splits: Object.keys(splits) });
    },
  };
}

async function prepared(options: object, splits: Record<string, Row[]>): Promise<DatasetTask> {
  const task = dataset(datasetOptions.parse(options));
  await task.prepare(tables(splits));
  return task;
}

const rows = (...questions: string[]): Row[] => questions.map((question, k) => ({ question, answer: String(k) }));
/** Questions of few letters, so that many of them are the same but for case and spaces. */
const questions = fc.array(fc.string({ unit: fc.constantFrom('a', 'A', 'b', ' ', '１', '1', '?'), minLength: 1, maxLength: 4 }), { minLength: 0, maxLength: 60 });

function trained(task: DatasetTask, draws = 300): Set<string> {
  const random = new Random(5);
  return new Set(Array.from({ length: draws }, () => task.train(random).id));
}

describe('problems from a table', () => {
  it('never leak from the held-out part into training, however often and however written a question stands there', async () => {
    await fc.assert(
      fc.asyncProperty(questions, questions, fc.boolean(), async (train, test, ownSplit) => {
        let task: DatasetTask;
        try {
          task = await prepared({ source: 'file' }, ownSplit ? { train: rows(...train), test: rows(...test) } : { train: rows(...train, ...test) });
        } catch (error) {
          // Too little of it.
          if (error instanceof PlaygroundError) return;
          throw error;
        }
        const held = new Set(task.heldOut(200, 1).map(({ question }) => normalisedQuestion(question)));
        const random = new Random(3);
        for (let k = 0; k < 100; k++) expect(held.has(normalisedQuestion(task.train(random).question))).toBe(false);
      }),
      { numRuns: 200 },
    );
  });

  it('are divided by their own test split where there is one, else a fifth by a hash of the question', async () => {
    const many = Array.from({ length: 1000 }, (_, k) => `What is ${k}?`);
    const own = await prepared({ source: 'file' }, { train: rows(...many.slice(0, 900)), validation: rows('v'), test: rows(...many.slice(850)) });
    expect(own.counts()).toEqual({ train: 850, heldOut: 150, leftOut: 0 });
    const hashed = await prepared({ source: 'file' }, { train: rows(...many) });
    const { train, heldOut } = hashed.counts();
    expect(train + heldOut).toBe(1000);
    expect(heldOut).toBeGreaterThan(150);
    expect(heldOut).toBeLessThan(250);
    // Which part a question is in depends on it alone.
    const fewer = await prepared({ source: 'file' }, { train: rows(...many.slice(0, 500)) });
    const held = new Set(hashed.heldOut(heldOut, 1).map(({ id }) => id));
    const same = fewer.heldOut(fewer.counts().heldOut, 1).filter(({ id }) => held.has(id));
    expect(same.length).toBeGreaterThanOrEqual(fewer.counts().heldOut - 1);
    expect((await prepared({ source: 'file' }, { train: rows('a', 'b') })).counts()).toEqual({ train: 1, heldOut: 1, leftOut: 0 });
  });

  it('come again with the same seed, in another order with another one, each once before any comes again', async () => {
    const task = await prepared({ source: 'file' }, { train: rows(...Array.from({ length: 400 }, (_, k) => `q${k}`)) });
    const { heldOut } = task.counts();
    const ids = (count: number, seed: number): string[] => task.heldOut(count, seed).map(({ id }) => id);
    expect(ids(heldOut, 7)).toEqual(ids(heldOut, 7));
    expect(ids(heldOut, 7)).not.toEqual(ids(heldOut, 8));
    expect(new Set(ids(heldOut, 8)).size).toBe(heldOut);
    expect(ids(heldOut + 5, 8).slice(heldOut)).toEqual(ids(5, 8));
    expect(trained(task)).toEqual(trained(task));
    expect(trained(task, 4000).size).toBe(task.counts().train);
  });

  it('take the answer as GSM8K, a box or the whole cell gives it, and leave out rows without one', async () => {
    expect(answerFrom('He has 2.\n#### 1,000 ', 'hashes')).toBe('1,000');
    expect(answerFrom('no answer', 'hashes')).toBeNull();
    expect(answerFrom('so \\boxed{\\frac{1}{2}}.', 'boxed')).toBe('\\frac{1}{2}');
    expect(answerFrom('  ', 'whole')).toBeNull();
    expect([guessAnswerFrom(['a\n#### 1']), guessAnswerFrom(['\\boxed{1}', '\\boxed{2}']), guessAnswerFrom(['1', '#### 2']), guessAnswerFrom([])]).toEqual(['hashes', 'boxed', 'whole', 'whole']);
    const task = await prepared({ source: 'gsm8k' }, {
      train: [{ question: 'a', answer: 'x\n#### 5' }, { question: 'b', answer: 'x' }, { question: ' ', answer: '#### 1' }],
      test: [{ question: 'c', answer: '#### 6' }],
    });
    expect(task.counts()).toEqual({ train: 1, heldOut: 1, leftOut: 2 });
    const problem = task.train(new Random(1));
    expect(problem).toMatchObject({ question: 'a', answer: '5' });
    expect(verdictOf(task, problem, 'so \\boxed{5.0}').parts).toEqual({ correct: 1, boxed: 1 });
    expect(verdictOf(task, problem, 'so 6').reward).toBe(0);
  });

  it('verify with their own answer', async () => {
    const answers = ['42', '1,000', '\\frac{1}{2}', '50\\%', '[1, 2)', '\\{1, 2\\}', '\\begin{pmatrix} 1 \\\\ 2 \\end{pmatrix}', 'x=5', '5\\text{ cm}', '(B)'];
    const task = await prepared({ source: 'file' }, { train: answers.map((answer, k) => ({ question: `q${k}`, answer })) });
    for (const problem of task.heldOut(20, 1)) expect(verdictOf(task, problem, `It is \\boxed{${problem.answer}}.`).reward).toBe(1);
  });

  it('ask for what the options say, with a known set’s own columns', async () => {
    const services = tables({ train: rows('a', 'b') });
    await expect(dataset(datasetOptions.parse({ source: 'hub:org/name@v1', config: 'c', question: 'q', answer: 'q', limit: 5 })).prepare(services)).rejects.toThrow();
    expect(services.asked).toEqual([{ source: 'hub:org/name@v1', sha256: undefined, config: 'c', split: undefined, columns: ['q'], limit: 5 }]);
    for (const source of KNOWN_SET_NAMES) {
      const known = tables({});
      await expect(dataset(datasetOptions.parse({ source })).prepare(known)).rejects.toThrow();
      expect(known.asked[0]?.source).toMatch(/^hub:[\w-]+\/[\w-]+$/);
    }
    const math = tables({ test: [{ problem: 'p', answer: '1' }, { problem: 'r', answer: '2' }] });
    await dataset(datasetOptions.parse({ source: 'math-500' })).prepare(math);
    expect(math.asked.length).toBe(1);
  });

  it('are not there before they have been read, but a length to reckon memory with is', async () => {
    const task = taskByName('dataset');
    expect(() => task.train(new Random(1))).toThrow('The problems of GSM8K have not been read yet.');
    expect(() => task.heldOut(1, 1)).toThrow(PlaygroundError);
    expect(task.sample?.()[0]?.question.length).toBe(1000);
    const read = await prepared({ source: 'file' }, { train: rows('short', 'longer than the others', 'mid') });
    expect(read.sample?.()[0]?.question).toBe('longer than the others');
  });

  it('say what is wrong with too few, with none, and with options', async () => {
    const complaint = async (splits: Record<string, Row[]>, options: object = { source: 'file', file: 'my.csv' }): Promise<string> => prepared(options, splits).then(() => 'none', (error: unknown) => String(error));
    expect(await complaint({ train: rows('a', 'A ') })).toContain('my.csv has one problem to train on and to hold out together.');
    expect(await complaint({ train: [{ question: 'a', answer: 'b' }] }, { source: 'file', answerFrom: 'hashes' })).toContain('None of the 1 rows of your file has a question and an answer after ####.');
    for (const options of [{ source: '/etc/passwd' }, { source: 'hub:a' }, { source: 'http://x/y' }, { sha256: 'x' }, { limit: 1 }, { split: '../x' }, { path: 'x' }]) expect(() => taskByName('dataset', options)).toThrow('options of task "dataset"');
  });
});
