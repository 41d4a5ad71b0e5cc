/** The trainer on a real, randomly initialised model of a few ten thousand parameters. */
import { describe, expect, it } from 'vitest';
import { at, mean } from '../../../src/marft/arrays.ts';
import type { MetricRow, TrainerEvent } from '../../../src/marft/records.ts';
import { Trainer } from '../../../src/marft/trainer.ts';
import { algorithm, team, toyTokenizer } from './doubles.ts';
import { evenTask, randomModel } from './random-model.ts';

async function run(iterations: number, frozen = false): Promise<{ rows: MetricRow[]; events: TrainerEvent[]; trainer: Trainer }> {
  const events: TrainerEvent[] = [];
  const trainer = new Trainer(
    {
      name: 'even',
      seed: 3,
      task: evenTask,
      team: team([{ maxNewTokens: 2, profile: 'x', trainable: !frozen }, { maxNewTokens: 3, profile: 'y' }]),
      algorithm: algorithm({ learningRate: 0.02, epochs: 2, critic: { window: 2, epochs: 1 } }),
      schedule: { iterations, episodes: 24, evalEvery: 0, evalProblems: 0 },
    },
    { model: await randomModel(), tokenizer: toyTokenizer() },
    (event) => events.push(event),
  );
  await trainer.init();
  await trainer.run();
  const rows = events.flatMap((event) => (event.type === 'iteration' ? [event.metrics] : []));
  return { rows, events, trainer };
}

function timeless(events: readonly TrainerEvent[]): string {
  return JSON.stringify(events, (key, value: unknown) => (/^time\/|tok_per_s$/.test(key) ? undefined : value));
}

describe('the trainer on a real model', () => {
  it('raises the reward, and starts every agent on its base', { timeout: 120_000 }, async () => {
    const { rows } = await run(10);
    const rewards = rows.map((row) => row['reward/mean'] ?? 0);
    expect(mean(rewards.slice(-3))).toBeGreaterThan(mean(rewards.slice(0, 3)) + 0.15);
    expect(at(rows, 0)['agent-0/ref_kl']).toBeLessThan(1e-9);
    expect(at(rows, 9)['agent-1/ref_kl']).toBeGreaterThan(1e-4);
    for (const row of rows) expect(row['sampling/logp_diff_max']).toBeLessThan(1e-3);
  });

  it('computes the same numbers again, to the last bit', { timeout: 120_000 }, async () => {
    const [first, second] = [await run(2), await run(2)];
    expect(timeless(second.events)).toBe(timeless(first.events));
    const weights = await first.trainer.parameters();
    expect(await second.trainer.parameters()).toEqual(weights);
    expect([...weights.keys()]).toEqual(['agent-0', 'agent-1']);
  });

  it('leaves the adapter of an agent that does not learn as it was, to the last bit', { timeout: 120_000 }, async () => {
    const before = await (await run(0, true)).trainer.parameters();
    const after = await (await run(2, true)).trainer.parameters();
    expect(after.get('agent-0')).toEqual(before.get('agent-0'));
    expect(after.get('agent-1')).not.toEqual(before.get('agent-1'));
  });
});
