import { describe, expect, it } from 'vitest';
import { agreement, agreementText } from '../../../../src/experiment/link/agreement.ts';
import { shareResults } from '../../../../src/experiment/link/shared-results.ts';
import type { MetricRow } from '../../../../src/marft/records.ts';

function run(rewards: readonly number[], extra: Record<string, number> = {}): MetricRow[] {
  return [{ iteration: 0, 'eval/reward': 0.1, 'eval/reward_greedy': 0.2 }, ...rewards.map((reward, k) => ({ iteration: k + 1, 'reward/mean': reward, ...extra }))];
}

function shared(rows: readonly MetricRow[]): NonNullable<ReturnType<typeof shareResults>> {
  const results = shareResults(rows, 'wasm');
  if (results === null) throw new Error('there are no results');
  return results;
}

describe('results that are shared', () => {
  it('are nothing before the first iteration', () => {
    expect(shareResults(run([]), 'wasm')).toBeNull();
  });

  it('are points of the curve itself, the first and the last among them, and no more than a hundred', () => {
    const { n, x, y } = shared(run(Array.from({ length: 1234 }, (_, k) => k / 1234)));
    expect([n, x.length, x[0], x.at(-1)]).toEqual([1234, 100, 1, 1234]);
    expect(y.every((reward, k) => reward === ((x[k] ?? 0) - 1) / 1234)).toBe(true);
  });

  it('hold the evaluations', () => {
    expect(shared(run([0.5])).h).toEqual([[0, 0.1, 0.2]]);
  });
});

describe('a run that is done again', () => {
  const rows = run([0.1, 0.2, 0.3], { 'time/total': 1, 'solver/entropy': 0.5 });

  it.each([
    ['identical', 'whatever the time it took', run([0.1, 0.2, 0.3], { 'time/total': 9, 'solver/entropy': 0.5 }), 'wasm'],
    ['identical', 'also where it goes further', run([0.1, 0.2, 0.3, 0.9], { 'solver/entropy': 0.5 }), 'wasm'],
    ['running', 'before it has come as far', run([0.1, 0.2], { 'solver/entropy': 0.5 }), 'wasm'],
    ['within-tolerance', 'where another figure differs', run([0.1, 0.2, 0.3], { 'solver/entropy': 0.6 }), 'wasm'],
    ['within-tolerance', 'where rewards differ by chance', run([0.2, 0.1, 0.3], { 'solver/entropy': 0.5 }), 'wasm'],
    ['different', 'where rewards differ by more', run([0.9, 0.9, 0.9], { 'solver/entropy': 0.5 }), 'wasm'],
    ['different-backend', 'on another backend, even with the same figures', rows, 'webgpu'],
  ] as const)('is %s %s', (kind, _, again, backend) => {
    const verdict = agreement(shared(rows), again, backend, 32);
    expect(verdict.kind).toBe(kind);
    expect(agreementText(verdict)).toMatch(/^[A-Z].*\.$/);
  });

  it('is measured at the shared points', () => {
    const { mean, largest, compared } = agreement(shared(rows), run([0.1, 0.2, 0.6]), 'wasm', 32);
    expect(mean).toBeCloseTo(0.1);
    expect(largest).toBeCloseTo(0.3);
    expect(compared).toBe(3);
  });
});
