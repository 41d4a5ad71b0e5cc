import { describe, expect, it } from 'vitest';
import { conductSweep, type SweepWork } from '../../../src/cli/conduct-sweep.ts';
import type { Finished } from '../../../src/cli/run-pool.ts';
import type { Experiment } from '../../../src/experiment/schema.ts';
import { mergeResults, resultsOf, summarize } from '../../../src/experiment/sweep-results.ts';
import { identityOf, parseSweep, type Sweep } from '../../../src/experiment/sweep.ts';

const sweep = parseSweep({
  version: 1,
  name: 'test',
  base: 'micro-addition',
  arms: [{ name: 'a' }, { name: 'b', set: ['algorithm.method=ippo'] }, { name: 'same as a' }, { name: 'idle', set: ['algorithm.method=none'] }],
  seeds: [1, 2],
});
const tuned: Sweep = { ...sweep, tune: { learningRates: [0.1, 0.2], seeds: [101] } };

/** Better with a larger learning rate for MARFT and with a smaller one for independent PPO. */
function play({ algorithm, seed }: Experiment): Finished {
  const sampled = (algorithm.method === 'ippo' ? 0.5 - algorithm.learningRate : 0.5 + algorithm.learningRate) + 0.001 * seed;
  return { rewards: [sampled], summary: summarize([sampled], { sampled, greedy: 1, baseSampled: 0.2, baseGreedy: 0 }) };
}

async function conduct(changes: Partial<SweepWork> = {}) {
  const launched: Experiment[] = [];
  let running = 0;
  let most = 0;
  const results = await conductSweep({
    sweep,
    jobs: 1,
    shard: { index: 1, count: 1 },
    find: () => null,
    launch: async (experiment) => {
      launched.push(experiment);
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 1));
      running -= 1;
      return play(experiment);
    },
    stopped: () => false,
    tell: () => undefined,
    ...changes,
  });
  return { results, launched, most };
}

describe('conducting a sweep', () => {
  it('runs every arm with every seed, and what is the same experiment once', async () => {
    const { results, launched } = await conduct();
    expect(results.arms.map(({ done }) => done)).toEqual([2, 2, 2, 2]);
    expect(launched).toHaveLength(6);
    expect(new Set(launched.map(identityOf)).size).toBe(6);
  });

  it('runs as many at once as it may', async () => {
    expect((await conduct({ jobs: 1 })).most).toBe(1);
    expect((await conduct({ jobs: 3 })).most).toBe(3);
    expect((await conduct({ jobs: 3 })).results).toEqual((await conduct({ jobs: 1 })).results);
  });

  it('repeats nothing that has run to its end already', async () => {
    const { results, launched } = await conduct({ find: (experiment) => (experiment.seed === 1 ? play(experiment) : null) });
    expect(launched.map(({ seed }) => seed)).toEqual([2, 2, 2]);
    expect(results).toEqual((await conduct()).results);
  });

  it('gives each arm its best learning rate, tried on the tuning seeds alone', async () => {
    const { results } = await conduct({ sweep: tuned });
    const rates = Object.fromEntries(results.arms.map(({ arm, learningRate }) => [arm, learningRate]));
    expect(rates).toEqual({ a: 0.2, b: 0.1, 'same as a': 0.2, idle: 0.003 });
    expect(results.tuning.map(({ arm, seed }) => [arm, seed])).toEqual(['a', 'a', 'b', 'b', 'same as a', 'same as a'].map((arm) => [arm, 101]));
    expect(results.runs.every(({ seed }) => seed < 101)).toBe(true);
  });

  it.each([['untuned', sweep], ['tuned', tuned]])('shares the work among shards without doing any twice, and merges to the same (%s)', async (_, one) => {
    const shards = await Promise.all([1, 2, 3].map((index) => conduct({ sweep: one, shard: { index, count: 3 } })));
    const whole = await conduct({ sweep: one });
    expect(mergeResults(shards.map(({ results }) => results))).toEqual(whole.results);
    const runs = shards.reduce((sum, { results }) => sum + results.runs.length + results.tuning.length, 0);
    expect(runs).toBe(whole.results.runs.length + whole.results.tuning.length);
  });

  it('counts a run that failed, and goes on', async () => {
    const launch = (experiment: Experiment) => Promise.resolve(experiment.seed === 1 ? { reason: 'Training stopped.' } : play(experiment));
    const { results } = await conduct({ launch });
    expect(results.arms.map(({ done, failed }) => [done, failed])).toEqual([[1, 1], [1, 1], [1, 1], [1, 1]]);
  });

  it('starts nothing more once stopped, and leaves out what was cut short', async () => {
    let launched = 0;
    const stopped = () => launched >= 2;
    const { results } = await conduct({ stopped, launch: (experiment) => Promise.resolve(++launched === 2 ? { reason: 'ended' } : play(experiment)) });
    expect(launched).toBe(2);
    expect(results.runs).toHaveLength(1);
    expect(results.arms[0]).toMatchObject({ done: 1, failed: 0, missing: 1 });
  });

  it('tells of every outcome how many are left, and the results so far', async () => {
    const left: number[] = [];
    await conduct({ sweep: tuned, tell: (_, news) => (left.push(news.left), expect(news.results).toEqual(resultsOf(tuned, news.results.tuning, news.results.runs))) });
    expect(left).toEqual(Array.from({ length: 14 }, (_, k) => 13 - k));
  });
});
