import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/random/random.ts';
import type { Problem } from '../../../src/tasks/types.ts';
import { MAX_STEPS, MIN_STEPS, wordProblems } from '../../../src/tasks/word-problems.ts';
import { verdictOf } from './verdict.ts';

const ALL_STEPS = Array.from({ length: MAX_STEPS - MIN_STEPS + 1 }, (_, i) => MIN_STEPS + i);

function trained(count: number, seed: number, steps: number): Problem[] {
  const random = new Random(seed);
  return Array.from({ length: count }, () => wordProblems(steps).train(random));
}

/** The answer by reading the sentences, apart from how they were made. */
function solve(question: string): number {
  let amount = 0;
  for (const sentence of question.split(/(?<=[.?]) /)) {
    const [first = 0, second = 0] = [...sentence.matchAll(/\d+/g)].map(Number);
    if (/ has \d/.test(sentence)) amount = first;
    else if (sentence.includes('finds')) amount += first;
    else if (sentence.includes('gives')) amount -= first;
    else if (sentence.includes('buys')) amount += first * second;
    else if (sentence.includes('doubles')) amount *= 2;
    else if (sentence.includes('shares')) amount /= first;
  }
  return amount;
}

describe('a word problem', () => {
  it.each(ALL_STEPS)('of %i steps has that many steps, and the answer that its story leads to', (steps) => {
    for (const { question, answer } of [...trained(300, 1, steps), ...wordProblems(steps).heldOut(100, 1)]) {
      expect(question.match(/[.?](?: |$)/g)).toHaveLength(steps + 2);
      expect(Number(answer)).toBe(solve(question));
      expect(Number.isInteger(Number(answer)) && Number(answer) > 0).toBe(true);
    }
  });

  it('is solved by its own answer, boxed or announced, and by no changed one', () => {
    const task = wordProblems(3);
    for (const problem of trained(200, 2, 3)) {
      const n = Number(problem.answer);
      expect(verdictOf(task, problem, `So \\boxed{${n}}`).reward).toBe(1);
      expect(verdictOf(task, problem, `The answer is ${n}.`).reward).toBe(1);
      for (const wrong of [n + 1, n - 1, -n, n * 10, n / 100]) expect(verdictOf(task, problem, `\\boxed{${wrong}}`).reward).toBe(0);
      for (const text of ['', 'I do not know', '\\boxed{}', '\\boxed{']) expect(verdictOf(task, problem, text).reward).toBe(0);
    }
  });

  it('is never both trained on and held out', () => {
    const heldOut = new Set(wordProblems(2).heldOut(500, 3).map(({ id }) => id));
    expect(heldOut.size).toBe(500);
    for (const { id } of trained(3000, 3, 2)) expect(heldOut.has(id)).toBe(false);
  });

  it('depends on the seed alone', () => {
    expect(trained(20, 7, 3)).toEqual(trained(20, 7, 3));
    expect(trained(20, 7, 3)).not.toEqual(trained(20, 8, 3));
    expect(wordProblems(2).heldOut(20, 7)).toEqual(wordProblems(2).heldOut(20, 7));
  });
});
