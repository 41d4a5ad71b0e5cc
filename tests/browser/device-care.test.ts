/** On a real (software) device: nothing is left behind by an iteration, and a device that is lost does not end the run. */
import { expect, test } from '@playwright/test';
import { presetByName } from '../../src/experiment/presets.ts';
import type { MetricRow } from '../../src/marft/records.ts';
import { serveHarness, type HarnessServer } from './harness-server.ts';

const ITERATIONS = 6;
const LOST_IN = 2;
const MICRO = presetByName('micro-addition');
/** Two episodes of two tokens an agent: what is held does not depend on how many are played. Everybody learns, whatever the rewards. */
const EXPERIMENT = {
  ...MICRO,
  seed: 6,
  algorithm: { ...MICRO.algorithm, lrSchedule: 'constant' as const, klRewardCoef: 0.1, entropyCoef: 0.1 },
  team: { ...MICRO.team, agents: MICRO.team.agents.map((agent) => ({ ...agent, maxNewTokens: 2 })) },
  schedule: { ...MICRO.schedule, episodes: 2, iterations: ITERATIONS },
};

let server: HarnessServer;

test.beforeAll(async () => {
  server = await serveHarness(41_832);
});

test.afterAll(() => server.close());

test('a device holds as much after six iterations as after two; lost in the middle of one, it is replaced and the run is the same', async ({ page }) => {
  test.setTimeout(600_000);
  await page.goto(server.address);
  const { held, metrics } = await page.evaluate((experiment) => window.harness.holdings(experiment), EXPERIMENT);
  expect(held).toHaveLength(ITERATIONS + 1);
  expect(held[ITERATIONS - 1]).toEqual(held[1]);
  expect(held[1]?.tensors).toBeGreaterThan(0);
  expect(held.at(-1), 'after the session has been disposed').toEqual({ tensors: 0, bytes: 0 });

  const short = { ...EXPERIMENT, schedule: { ...EXPERIMENT.schedule, iterations: LOST_IN + 1 } };
  const survived = await page.evaluate(([experiment, iteration]) => window.harness.loseDevice(experiment, iteration), [short, LOST_IN] as const);
  expect(survived.message).toBe('');
  expect(survived.devices).toBe(2);
  expect(survived.told.at(0)).toMatch(/^The graphics processor was lost.* Going on from iteration 1 on a new one \(attempt 1 of 3\)\.$/);
  expect(survived.metrics.map(timeless)).toEqual(metrics.slice(0, LOST_IN + 1).map(timeless));
});

function timeless(row: MetricRow): MetricRow {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !/^time\/|tok_per_s$|^mem\//.test(name))) as MetricRow;
}
