import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/random/random.ts';
import { columnsOf, duoAddition, operandsOf } from '../../../src/tasks/addition.ts';
import type { Problem } from '../../../src/tasks/types.ts';
import { verdictOf } from './verdict.ts';

const TASK = duoAddition(2);

function trained(count: number, seed: number, digits = 2): Problem[] {
  const random = new Random(seed);
  const task = duoAddition(digits);
  return Array.from({ length: count }, () => task.train(random));
}

describe('an addition problem', () => {
  it('has the sum of the two numbers in its question as its answer', () => {
    for (const digits of [1, 2, 3]) {
      for (const { question, answer } of [...trained(500, 1, digits), ...duoAddition(digits).heldOut(200, 1)]) {
        const [first, second] = operandsOf(question) ?? [NaN, NaN];
        expect(Number(answer)).toBe(first + second);
        expect(question).toBe(`${first}+${second}=?`);
        for (const operand of [first, second]) expect(String(operand)).toHaveLength(digits);
      }
    }
  });

  it('is solved by its own answer, white space around it allowed', () => {
    for (const problem of [...trained(300, 2), ...TASK.heldOut(300, 2)]) {
      expect(verdictOf(TASK, problem, problem.answer)).toEqual({ reward: 1, parts: { correct: 1 } });
      expect(verdictOf(TASK, problem, ` ${problem.answer}\n`).reward).toBe(1);
    }
  });

  it('is not solved by anything else', () => {
    for (const problem of trained(300, 3)) {
      const { answer, question } = problem;
      const others = ['', ' ', '0', `0${answer}`, `${answer}0`, `${answer}.`, `${answer} ${answer}`, `=${answer}`, `+${answer}`,
        String(Number(answer) + 1), String(Number(answer) + 10), question, 'easy', '\u0000', `${answer}\ud800`, '８５'];
      for (const other of others) expect(verdictOf(TASK, problem, other)).toEqual({ reward: 0, parts: { correct: 0 } });
    }
  });
});

describe('the split of the additions', () => {
  it('trains on nothing held out, and not on its mirror image either', () => {
    const pairOf = ({ question }: Problem): string => (operandsOf(question) ?? []).sort((a, b) => a - b).join('+');
    const heldOut = new Set(TASK.heldOut(1600, 1).map(pairOf));
    for (const problem of trained(20_000, 4)) expect(heldOut.has(pairOf(problem))).toBe(false);
  });

  it('holds out about a fifth of all pairs', () => {
    expect(new Set(TASK.heldOut(3000, 1).map(({ id }) => id)).size / 8100).toBeCloseTo(0.2, 1);
  });

  it('has at least 256 held-out problems, all distinct', () => {
    for (const digits of [2, 3]) expect(new Set(duoAddition(digits).heldOut(256, 5).map(({ id }) => id)).size).toBe(256);
  });

  it('repeats one-digit problems only once all of them have come', () => {
    const problems = duoAddition(1).heldOut(64, 1);
    const distinct = new Set(problems.map(({ id }) => id));
    expect(problems).toHaveLength(64);
    expect(new Set(problems.slice(0, distinct.size).map(({ id }) => id))).toEqual(distinct);
  });

  it('is the same for the same seed and another for another', () => {
    expect(TASK.heldOut(100, 7)).toEqual(TASK.heldOut(100, 7));
    expect(TASK.heldOut(100, 8)).not.toEqual(TASK.heldOut(100, 7));
    expect(trained(100, 7)).toEqual(trained(100, 7));
    expect(trained(100, 8)).not.toEqual(trained(100, 7));
  });
});

describe('the columns of an addition', () => {
  it('carry from right to left', () => {
    expect(columnsOf(27, 58)).toEqual([
      { first: 7, second: 8, carry: 0, sum: 15 },
      { first: 2, second: 5, carry: 1, sum: 8 },
    ]);
    expect(columnsOf(0, 0)).toEqual([{ first: 0, second: 0, carry: 0, sum: 0 }]);
  });

  it('give the sum when read off', () => {
    for (let i = 0; i < 500; i++) {
      const random = new Random(i);
      const [first, second] = [random.int(0, 999), random.int(0, 999)];
      const columns = columnsOf(first, second);
      const sum = columns.reduce((total, column, place) => {
        const last = place === columns.length - 1;
        return total + (last ? column.sum : column.sum % 10) * 10 ** place;
      }, 0);
      expect(sum).toBe(first + second);
    }
  });
});

it('no text but a question has operands', () => {
  for (const text of ['', '27+58', '27+58=? ', 'what is 27+58=?', '-27+58=?']) expect(operandsOf(text)).toBeNull();
});
