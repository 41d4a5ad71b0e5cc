import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/random/random.ts';
import { secretDigit } from '../../../src/tasks/secret.ts';
import type { Problem } from '../../../src/tasks/types.ts';
import { verdictOf } from './verdict.ts';

const TASK = secretDigit();

function trained(count: number, seed: number): Problem[] {
  const random = new Random(seed);
  return Array.from({ length: count }, () => TASK.train(random));
}

function countByAnswer(problems: readonly Problem[]): number[] {
  return Array.from({ length: 10 }, (_, digit) => problems.filter(({ answer }) => answer === String(digit)).length);
}

describe('a secret', () => {
  it('is the answer, a digit that the question does not give away', () => {
    for (const { secret, answer, question } of [...trained(300, 1), ...TASK.heldOut(300, 1)]) {
      expect(secret).toBe(answer);
      expect(answer).toMatch(/^\d$/);
      expect(question).not.toMatch(/\d/);
    }
  });

  it('is guessed by its own digit alone', () => {
    for (const problem of trained(100, 2)) {
      for (let digit = 0; digit < 10; digit++) {
        expect(verdictOf(TASK, problem, String(digit)).reward).toBe(String(digit) === problem.answer ? 1 : 0);
      }
      for (const text of ['', `it is ${problem.answer}`, `${problem.answer}${problem.answer}`]) {
        expect(verdictOf(TASK, problem, text).reward).toBe(0);
      }
    }
  });

  it('is every digit equally often in training, whatever is asked about', () => {
    const problems = trained(20_000, 3);
    for (const count of countByAnswer(problems)) expect(count / 2000).toBeCloseTo(1, 0);
    const questions = new Map<string, Set<string>>();
    for (const { question, answer } of problems) questions.set(question, (questions.get(question) ?? new Set()).add(answer));
    for (const answers of questions.values()) expect(answers.size).toBe(10);
  });
});

describe('held-out secrets', () => {
  it('score a constant answer exactly at chance when ten divides their number', () => {
    const problems = TASK.heldOut(250, 1);
    for (let digit = 0; digit < 10; digit++) {
      const score = problems.reduce((sum, problem) => sum + verdictOf(TASK, problem, String(digit)).reward, 0) / problems.length;
      expect(score).toBe(TASK.chance);
    }
  });

  it('are as even as their number allows, and so is every first part of them', () => {
    const problems = TASK.heldOut(256, 2);
    expect(problems).toHaveLength(256);
    for (let n = 1; n <= 256; n++) {
      const counts = countByAnswer(problems.slice(0, n));
      expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
    }
  });

  it('ask about things that training never mentions', () => {
    const asked = new Set(TASK.heldOut(256, 1).map(({ question }) => question));
    for (const { question } of trained(20_000, 4)) expect(asked.has(question)).toBe(false);
  });

  it('are distinct, and the same for the same seed', () => {
    const problems = TASK.heldOut(256, 1);
    expect(new Set(problems.map(({ id }) => id)).size).toBe(256);
    expect(TASK.heldOut(256, 1)).toEqual(problems);
    expect(TASK.heldOut(256, 2)).not.toEqual(problems);
  });
});
