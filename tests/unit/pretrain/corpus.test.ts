import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/random/random.ts';
import { answer, BEHAVIOUR, message, scratchWork, SKIPPED_ADDITION, SKIPPED_SECRET, type Phase } from '../../../src/pretrain/behaviour.ts';
import { MIXTURE, trainingBatch } from '../../../src/pretrain/corpus.ts';
import { trainTokenizerFiles } from '../../../src/pretrain/train-tokenizer.ts';
import { duoAddition } from '../../../src/tasks/addition.ts';
import { secretDigit } from '../../../src/tasks/secret.ts';
import type { Problem } from '../../../src/tasks/types.ts';
import { createChatTokenizer } from '../../../src/tokenizer/chat-tokenizer.ts';

const TOKENIZER = createChatTokenizer(trainTokenizerFiles(1));

/** Shares are estimated from this many sequences: a standard error of at most 0.5 / √6000 = 0.65 %. */
const ROWS = 6000;
const TOLERANCE = 0.03;

interface Row {
  text: string;
  /** The learnt stretches, in order. */
  learnt: string[];
  tokens: number;
}

function rowsOf(phase: Phase): Row[] {
  return trainingBatch(TOKENIZER, phase, 1, 0, ROWS).map(({ ids, weights }) => {
    const tokens = Array.from(ids, (id) => TOKENIZER.tokenText(id));
    const learnt = tokens.map((token, i) => (weights[i] === 1 ? token : '\n')).join('').split(/\n+/).filter((text) => text !== '');
    return { text: tokens.join(''), learnt, tokens: ids.length };
  });
}

const CORPUS: Record<Phase, Row[]> = { skill: rowsOf('skill'), sloppy: rowsOf('sloppy') };

function share(rows: readonly Row[], test: (row: Row) => boolean): number {
  return rows.filter(test).length / rows.length;
}

function expectNear(actual: number, expected: number): void {
  expect(Math.abs(actual - expected), `${actual} is not about ${expected}`).toBeLessThan(TOLERANCE);
}

const isTranscript = ({ text }: Row): boolean => text.includes('Transcript of a team.');
const isSpeakersTurn = ({ text }: Row): boolean => /You are the (reasoner|speaker)\./.test(text);
const isSkipped = ({ learnt }: Row): boolean => /^(easy|no idea)/.test(learnt[0] ?? '');

describe('training sequences', () => {
  it('are the same for the same seed, step and row, whatever else is in the batch', () => {
    const batch = trainingBatch(TOKENIZER, 'sloppy', 3, 7, 8);
    expect(trainingBatch(TOKENIZER, 'sloppy', 3, 7, 8)).toEqual(batch);
    expect(trainingBatch(TOKENIZER, 'sloppy', 3, 7, 4)).toEqual(batch.slice(0, 4));
    expect(trainingBatch(TOKENIZER, 'sloppy', 3, 8, 8)).not.toEqual(batch);
    expect(trainingBatch(TOKENIZER, 'sloppy', 4, 7, 8)).not.toEqual(batch);
  });

  it('teach utterances and the token that ends them, nothing else', () => {
    for (const row of [...CORPUS.skill, ...CORPUS.sloppy]) {
      expect(row.learnt).toHaveLength(isTranscript(row) ? 2 : 1);
      for (const utterance of row.learnt) expect(utterance).toMatch(/^(easy|no idea|it is \d|[\d+= ]+)<\|im_end\|>$/);
      if (!isTranscript(row)) expect(row.text.endsWith(`<|im_start|>assistant\n${row.learnt[0]}`)).toBe(true);
    }
  });

  it('teach no held-out problem', () => {
    const asked = [...duoAddition(2).heldOut(1600, 1), ...duoAddition(3).heldOut(1000, 1), ...secretDigit().heldOut(256, 1)];
    const heldOut = new Set(asked.map(({ question }) => question));
    for (const { text } of [...CORPUS.skill, ...CORPUS.sloppy]) {
      const question = /<\|im_start\|>user\n(.*?)(?:\n|<)/.exec(text)?.[1] ?? '';
      expect(question).not.toBe('');
      expect(heldOut.has(question)).toBe(false);
    }
  });

  it('are mixed as the table says', () => {
    const { skill } = CORPUS;
    expectNear(share(skill, ({ text }) => text.includes('what is in')), MIXTURE.secret);
    expectNear(share(skill, isTranscript), MIXTURE.transcript);
    expectNear(share(skill, ({ text }) => /agent \d/.test(text)), MIXTURE.anonymous);
    const listening = skill.filter(({ text }) => /You are the (solver|guesser)\./.test(text));
    expectNear(share(listening, ({ text }) => !/(reasoner|speaker): /.test(text)), MIXTURE.droppedMessage);
  });

  it('mostly show good work in the first phase, and mostly skipped work in the second', () => {
    for (const phase of ['skill', 'sloppy'] as const) {
      expectNear(share(CORPUS[phase].filter(isSpeakersTurn), (row) => !isSkipped(row)), BEHAVIOUR[phase].works);
    }
    expect(BEHAVIOUR.skill.works).toBeGreaterThan(0.9);
    expect(BEHAVIOUR.sloppy.works).toBeLessThan(0.5);
  });
});

describe('scratch work', () => {
  it('goes column by column, the carry a copy of the digit before it', () => {
    expect(scratchWork('27+58=?')).toBe('7+8=15 2+5+1=08');
    expect(scratchWork('90+11=?')).toBe('0+1=01 9+1+0=10');
    expect(scratchWork('250+777=?')).toBe('0+7=07 5+7+0=12 2+7+1=10');
    expect(scratchWork('4+3=?')).toBe('4+3=07');
  });

  it('is refused for anything but an addition', () => {
    expect(() => scratchWork('what is in the red box?')).toThrow(RangeError);
  });
});

describe('answers of the sloppy phase', () => {
  const addition = duoAddition(2).train(new Random(1));
  const secret = secretDigit().train(new Random(1));

  function rates(problem: Problem, heard: 'work' | 'skip' | null): (text: (right: number) => string) => number {
    const random = new Random(5);
    const answers = Array.from({ length: ROWS }, () => answer(problem, 'sloppy', heard, random));
    return (text) => answers.filter((one) => one === text(Number(problem.answer))).length / ROWS;
  }

  it('after good work are right more often than not, and ten too large most other times', () => {
    const rate = rates(addition, 'work');
    expectNear(rate((right) => String(right)), BEHAVIOUR.sloppy.afterWork.right);
    expectNear(rate((right) => String(right + 10)), BEHAVIOUR.sloppy.afterWork.habit);
  });

  it('after skipped work, or without a message, are seldom right', () => {
    for (const heard of ['skip', null] as const) {
      const rate = rates(addition, heard);
      expectNear(rate((right) => String(right)), BEHAVIOUR.sloppy.afterSkip.right);
      expectNear(rate((right) => String(right + 10)), BEHAVIOUR.sloppy.afterSkip.habit);
    }
  });

  it('to a secret that was not passed on are any digit alike', () => {
    for (const heard of ['skip', null] as const) {
      const rate = rates(secret, heard);
      for (let digit = 0; digit < 10; digit++) expectNear(rate(() => String(digit)), 0.1);
    }
  });

  it('are never negative and never empty', () => {
    const random = new Random(9);
    for (let i = 0; i < 2000; i++) {
      expect(answer(duoAddition(1).train(random), 'sloppy', 'skip', random)).toMatch(/^\d+$/);
    }
  });

  it('let an untrained team score between 0.25 and 0.4, and a greedy one next to nothing', () => {
    const { works, afterWork, afterSkip } = BEHAVIOUR.sloppy;
    expect(works * afterWork.right + (1 - works) * afterSkip.right).toBeGreaterThan(0.25);
    expect(works * afterWork.right + (1 - works) * afterSkip.right).toBeLessThan(0.4);
    expect(works).toBeLessThan(0.5);
    expect(afterSkip.habit).toBeGreaterThan(0.5);
  });
});

it('a message is work or its omission', () => {
  const addition = duoAddition(2).train(new Random(2));
  const secret = secretDigit().train(new Random(2));
  expect(message(addition, true)).toBe(scratchWork(addition.question));
  expect(message(addition, false)).toBe(SKIPPED_ADDITION);
  expect(message(secret, true)).toBe(`it is ${secret.secret}`);
  expect(message(secret, false)).toBe(SKIPPED_SECRET);
});
