import { afterAll, describe, expect, it } from 'vitest';
import { marftRun, withoutTimes, type FinishedRun } from './command-line.ts';

const runs = new Map<number, FinishedRun>();
afterAll(() => runs.forEach((run) => run[Symbol.dispose]()));

async function runOf(seed: number): Promise<FinishedRun> {
  const run = runs.get(seed) ?? (await marftRun('duo-addition', '--iterations', '40', '--seed', String(seed)));
  runs.set(seed, run);
  return run;
}

describe.each([1, 2, 3])('duo-addition with seed %i', (seed) => {
  it('learns to add: a base between 0.15 and 0.5, a trained team of at least 0.85', async () => {
    const { result } = await runOf(seed);
    console.log(`duo-addition, seed ${seed}:`, result);
    expect(result.eval_base).toBeGreaterThanOrEqual(0.15);
    expect(result.eval_base).toBeLessThanOrEqual(0.5);
    expect(result.eval_base_greedy).toBeLessThanOrEqual(0.6);
    expect(result.reward_last10).toBeGreaterThanOrEqual(0.85);
    expect(result.eval_trained).toBeGreaterThanOrEqual(0.85);
  });

  it('holds no more memory after iteration 40 than after iteration 10, to 5 %', async () => {
    const { rss_mb_iter10: early, rss_mb_iter40: late } = (await runOf(seed)).result;
    expect(early).not.toBeNull();
    expect((late ?? Number.NaN) / (early ?? Number.NaN)).toBeLessThan(1.05);
  });
});

describe('duo-addition run twice', () => {
  it('leaves the same metrics but for times, and the same transcripts', async () => {
    const first = await runOf(1);
    using second = await marftRun('duo-addition', '--iterations', '40', '--seed', '1');
    expect(withoutTimes(second.metrics)).toEqual(withoutTimes(first.metrics));
    expect(second.read('transcripts.jsonl') === first.read('transcripts.jsonl')).toBe(true);
    expect(second.read('adapters/solver/adapter_config.json')).toBe(first.read('adapters/solver/adapter_config.json'));
  });

  it('writes a line per iteration and one per episode', async () => {
    const { metrics, read } = await runOf(1).then((run) => ({ metrics: run.metrics, read: run.read.bind(run) }));
    expect(metrics.map(({ iteration }) => iteration)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
    expect(read('transcripts.jsonl').trimEnd().split('\n')).toHaveLength(40 * 32);
  });
});
