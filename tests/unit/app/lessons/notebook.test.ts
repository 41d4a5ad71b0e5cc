import { describe, expect, it } from 'vitest';
import { bestReward, isCut, lastReward, noteOf } from '../../../../src/app/lessons/notebook.ts';
import { applyOverrides } from '../../../../src/experiment/overrides.ts';
import { presetByName } from '../../../../src/experiment/presets.ts';

const rows = [{ iteration: 0, 'eval/reward': 0.9 }, ...[0.2, 0.4, 0.9, 0.9, 0.6, 0.3].map((reward, k) => ({ iteration: k + 1, 'reward/mean': reward }))];

describe('a run in a few numbers', () => {
  it('has the mean of its last iterations, not of the evaluation before them', () => {
    expect(lastReward(rows, 2)).toBeCloseTo(0.45, 12);
    expect(lastReward(rows, 7)).toBeNull();
  });

  it('has the best stretch of iterations', () => {
    expect(bestReward(rows, 3)).toBeCloseTo(0.8, 12);
    expect(bestReward([], 1)).toBeNull();
  });

  it('is noted with what lessons tell runs apart by', () => {
    const experiment = applyOverrides(presetByName('secret'), ['team.dependency=none', 'algorithm.method=ippo', 'seed=5']);
    expect(noteOf(experiment, rows)).toMatchObject({ preset: 'secret', method: 'ippo', roles: 'named', cut: true, seed: 5, iterations: 6 });
    expect(noteOf(experiment, rows.slice(0, 3))).toBeNull();
  });

  it('is cut where no agent hears another, however that is written', () => {
    const cut = [[false, false], [false, false]];
    expect(isCut(applyOverrides(presetByName('secret'), [`team.dependency=${JSON.stringify(cut)}`]))).toBe(true);
    expect(isCut(presetByName('secret'))).toBe(false);
  });
});
