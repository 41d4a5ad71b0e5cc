import { describe, expect, it } from 'vitest';
import { bestLearningRate, mergeResults, parseResults, resultsOf, summarize, type RunOutcome } from '../../../src/experiment/sweep-results.ts';
import { parseSweep } from '../../../src/experiment/sweep.ts';

const sweep = parseSweep({ version: 1, name: 'test', base: 'micro-addition', arms: [{ name: 'a' }, { name: 'b', set: ['algorithm.method=ippo'] }], seeds: [1, 2, 3] });

const evaluated = { sampled: 0.9, greedy: 1, baseSampled: 0.3, baseGreedy: 0.1 };

function done(arm: string, seed: number, sampled: number, learningRate = 0.003): RunOutcome {
  return { status: 'done', arm, seed, learningRate, rewards: [sampled], summary: summarize([sampled], { ...evaluated, sampled }) };
}

const failed: RunOutcome = { status: 'failed', arm: 'b', seed: 3, learningRate: 0.003, reason: 'Training stopped at iteration 4.' };
const outcomes = [done('b', 1, 0.5), done('a', 2, 0.8), done('a', 1, 0.9), done('b', 2, 0.6), failed, done('a', 3, 0.7)];

describe('summarize', () => {
  it('takes the area, and the best five iterations in a row', () => {
    const { auc, best } = summarize([0, 1, 1, 1, 1, 1, 0.5], evaluated);
    expect(auc).toBeCloseTo((0.25 + 5) / 6, 12);
    expect(best).toBe(1);
  });

  it.each<[string, number[], number, boolean]>([
    ['stays up', [0.3, 0.5, 0.9, 0.9, 0.9, 0.9, 0.9], 0.9, false],
    ['never rises', [0.3, 0.3, 0.3, 0.3, 0.3, 0.3], 0.28, false],
    ['ends worse than it began', [0.3, 0.2, 0.2, 0.2, 0.2, 0.2], 0.2, true],
    ['rises and falls', [0.9, 0.9, 0.9, 0.9, 0.9, 0.2, 0.2, 0.2, 0.2, 0.2], 0.31, true],
  ])('says whether a run that %s has collapsed', (_, rewards, sampled, collapsed) => {
    expect(summarize(rewards, { ...evaluated, sampled }).collapsed).toBe(collapsed);
  });
});

describe('resultsOf', () => {
  const [a, b] = resultsOf(sweep, [], outcomes).arms;

  it('averages over the seeds that came to an end, and counts the others', () => {
    expect(a).toMatchObject({ arm: 'a', done: 3, failed: 0, missing: 0, collapsed: 0 });
    expect(a?.sampled?.mean).toBeCloseTo(0.8, 12);
    expect(b).toMatchObject({ arm: 'b', done: 2, failed: 1, missing: 0, learningRate: 0.003 });
    expect(b?.sampled?.mean).toBeCloseTo(0.55, 12);
  });

  it('compares by pairs of equal seeds', () => {
    expect(a?.difference).toBeNull();
    expect(b?.difference?.sampled).toMatchObject({ pairs: 2, probability: 0 });
    expect(b?.difference?.sampled?.mean).toBeCloseTo(-0.3, 12);
  });

  it('counts what has not run', () => {
    expect(resultsOf(sweep, [], []).arms.map(({ missing, sampled }) => [missing, sampled])).toEqual([[3, null], [3, null]]);
  });

  it('does not depend on the order in which runs ended', () => {
    expect(resultsOf(sweep, [], [...outcomes].reverse())).toEqual(resultsOf(sweep, [], outcomes));
  });
});

describe('bestLearningRate', () => {
  it('takes the highest mean over the tuning seeds of that arm; a failed run counts nothing', () => {
    const tuning = [done('a', 101, 0.9, 0.1), { ...failed, arm: 'a', learningRate: 0.1 }, done('a', 101, 0.5, 0.2), done('a', 102, 0.6, 0.2), done('b', 101, 1, 0.3)];
    expect(bestLearningRate('a', tuning)).toBe(0.2);
    expect(bestLearningRate('c', tuning)).toBeNull();
  });
});

describe('merging', () => {
  const whole = resultsOf(sweep, [], outcomes);

  it('gives what the whole sweep gives', () => {
    const shards = [outcomes.slice(0, 2), outcomes.slice(2)].map((part) => parseResults(JSON.parse(JSON.stringify(resultsOf(sweep, [], part)))));
    expect(mergeResults(shards)).toEqual(whole);
  });

  it('prefers a run that came to an end to one of the same that failed', () => {
    const again = resultsOf(sweep, [], [done('b', 3, 0.4)]);
    expect(mergeResults([whole, again]).arms[1]).toMatchObject({ done: 3, failed: 0 });
    expect(mergeResults([again, whole]).arms[1]).toMatchObject({ done: 3, failed: 0 });
  });

  it('refuses shards of different sweeps, and what is no result', () => {
    const other = resultsOf(parseSweep({ ...sweep, seeds: [1] }), [], []);
    expect(() => mergeResults([whole, other])).toThrow('are not shards of one sweep');
    expect(() => parseResults({ version: 1 })).toThrow('sweep is missing');
    expect(() => parseResults(JSON.parse('{"__proto__": {}}'))).toThrow('not allowed');
    expect(() => mergeResults([])).toThrow('nothing to merge');
  });
});
