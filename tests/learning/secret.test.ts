import { describe, expect, it } from 'vitest';
import { marftRun } from './command-line.ts';

describe('secret', () => {
  it('learns to pass a digit on', async () => {
    using run = await marftRun('secret', '--iterations', '40', '--seed', '1');
    const { result } = run;
    console.log('secret, seed 1:', result);
    expect(result.eval_base).toBeLessThanOrEqual(0.5);
    expect(result.eval_trained).toBeGreaterThanOrEqual(0.85);
    expect(result.eval_trained).toBeGreaterThanOrEqual(result.eval_base + 0.3);
  });

  it('stays within 5 points of chance when the guesser does not hear the speaker', async () => {
    using run = await marftRun('secret', '--iterations', '40', '--seed', '1', '--set', 'team.dependency=none');
    const { result } = run;
    console.log('secret with D cut, seed 1:', result);
    expect(Math.abs(result.eval_trained - result.chance)).toBeLessThanOrEqual(0.05);
    expect(Math.abs(result.eval_trained_greedy - result.chance)).toBeLessThanOrEqual(0.05);
  });
});
