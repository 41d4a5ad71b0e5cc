import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ABLATIONS } from '../../../../src/app/gallery/ablations.ts';
import { sweepByName } from '../../../../src/experiment/named-sweeps.ts';
import { parseResults } from '../../../../src/experiment/sweep-results.ts';

describe('ablations in the gallery', () => {
  it('are the results of the sweep and the seeds that their command names', () => {
    expect(ABLATIONS.length).toBeGreaterThan(5);
    for (const { name, command } of ABLATIONS) {
      const { sweep, runs } = parseResults(JSON.parse(readFileSync(new URL(`../../../../docs/ablations/${name.replaceAll('/', '-')}.json`, import.meta.url), 'utf8')));
      const [, named, seeds] = / sweep (\S+) --seeds (\d+)$/.exec(command) ?? [];
      const { arms } = sweepByName(named ?? '');
      expect(sweep.arms, name).toEqual(arms);
      expect(sweep.seeds, name).toHaveLength(Number(seeds));
      expect(runs.length, name).toBeGreaterThanOrEqual(sweep.seeds.length * 2);
    }
  });
});
