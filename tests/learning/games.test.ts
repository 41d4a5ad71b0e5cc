/**
 * The built-in games' presets. By default one seed and the first of the 40 iterations, which tells whether a team learns; with MARFT_LEARNING=full
 * three seeds to the end, held against what docs/results.md states.
 */
import { describe, it } from 'vitest';
import { marftRun } from './command-line.ts';

const FULL = process.env['MARFT_LEARNING'] === 'full';

/** After so many iterations and after 40: the least reward, sampled, on 256 held-out problems. */
const GAMES = [
  { preset: 'reversing', iterations: 15, early: 0.8, late: 0.93 },
  { preset: 'comparison', iterations: 15, early: 0.68, late: 0.78 },
  { preset: 'countdown', iterations: 15, early: 0.65, late: 0.85 },
  { preset: 'walk', iterations: 10, early: 0.38, late: 0.83 },
  { preset: 'relay', iterations: 15, early: 0.75, late: 0.83 },
  { preset: 'trio-addition', iterations: 15, early: 0.85, late: 0.93 },
  { preset: 'quad-addition', iterations: 15, early: 0.8, late: 0.9 },
  { preset: 'parallel-judge-addition', iterations: 15, early: 0.8, late: 0.9 },
  { preset: 'debate-addition', iterations: 10, early: 0.5, late: 0.9 },
];

const SEEDS = FULL ? [1, 2, 3] : [1];
const CASES = GAMES.flatMap((game) => SEEDS.map((seed) => ({ ...game, seed, title: `${game.preset}, seed ${seed}` })));

// Two at a time: here nothing is timed.
describe.concurrent('a team learns', () => {
  it.for(CASES)('$title', { timeout: 900_000 }, async ({ preset, seed, iterations, early, late, title }, { expect }) => {
    using run = await marftRun(preset, '--seed', String(seed), ...(FULL ? [] : ['--iterations', String(iterations)]));
    const { result } = run;
    console.log(`${title}:`, result);
    expect(result.eval_base).toBeLessThanOrEqual(0.6);
    expect(result.eval_trained).toBeGreaterThanOrEqual(FULL ? late : early);
    expect(result.eval_trained).toBeGreaterThanOrEqual(result.eval_base + 0.1);
    const { rss_mb_iter10: tenth, rss_mb_iter40: last } = result;
    if (FULL) expect((last ?? Number.NaN) / (tenth ?? Number.NaN)).toBeLessThan(1.25);
  });
});
