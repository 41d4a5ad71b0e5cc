/** Going on from where a run stood, on a real model. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { QwenModel } from '../../../src/engine/model.ts';
import type { TrainerEvent } from '../../../src/marft/records.ts';
import { Trainer } from '../../../src/marft/trainer.ts';
import { algorithm, team, toyTokenizer } from './doubles.ts';
import { evenTask, randomModel } from './random-model.ts';

let model: QwenModel;
beforeAll(async () => void (model = await randomModel()));
afterAll(() => model.dispose());

interface Run {
  trainer: Trainer;
  /** All that was told, but for times, as text. */
  told: () => string[];
}

async function start(options: object, agents: readonly object[] = [{}, {}]): Promise<Run> {
  const events: TrainerEvent[] = [];
  const trainer = new Trainer(
    {
      name: 'even',
      seed: 3,
      task: evenTask,
      team: team(agents.map((agent) => ({ profile: 'x', adapter: { rank: 2, targets: ['q_proj', 'up_proj'] }, ...agent }))),
      algorithm: algorithm({ learningRate: 0.02, lrSchedule: 'cosine', ...options }),
      schedule: { iterations: 4, episodes: 8, evalEvery: 2, evalProblems: 4 },
    },
    { model, tokenizer: toyTokenizer() },
    (event) => events.push(event),
  );
  await trainer.init();
  const timeless = (event: TrainerEvent): string =>
    JSON.stringify(event, (key, value: unknown) => (/^time\/|tok_per_s$|^mem\//.test(key) ? undefined : value));
  return { trainer, told: () => events.map(timeless) };
}

const GRADIENT = { method: 'gradient', window: 2, epochs: 2, adapter: { rank: 2, targets: ['v_proj'] } };

describe('a state put into a fresh trainer', () => {
  it.each<[string, object]>([
    ['a linear critic', {}],
    ['a critic under AdamW with an adapter and a window', { critic: GRADIENT }],
    ['a critic per agent and random order', { method: 'ippo', order: 'random' }],
    ['HAPPO’s factor and several epochs', { happo: 'sum', epochs: 2, weightDecay: 0.1 }],
    ['blocks of iterations in random order', { updateSchedule: 'blocks', blockIterations: 1, order: 'random' }],
    ['no critic', { method: 'group', groupSize: 4 }],
  ])('is followed by the same iterations, to the last bit: %s', async (_, options) => {
    const whole = await start(options);
    for (let k = 0; k < 2; k++) await whole.trainer.step();
    const state = structuredClone(await whole.trainer.state());
    const until = whole.told().length;
    await whole.trainer.run();

    const resumed = await start(options);
    await resumed.trainer.restore(state);
    await resumed.trainer.run();
    expect(resumed.told()).toEqual(whole.told().slice(until));
    expect(resumed.trainer.iteration).toBe(4);
    expect(await resumed.trainer.state()).toEqual(await whole.trainer.state());
    for (const { trainer } of [whole, resumed]) trainer.dispose();
  });

  it('takes a trainer that has gone further back again', async () => {
    const { trainer, told } = await start({ critic: GRADIENT });
    await trainer.step();
    const state = await trainer.state();
    await trainer.step();
    const first = told().slice(told().findLastIndex((event) => event.includes('rollout')));
    await trainer.restore(state);
    await trainer.step();
    expect(told().slice(told().findLastIndex((event) => event.includes('rollout')))).toEqual(first);
    trainer.dispose();
  });

  it('is refused when it is another team’s or another critic’s', async () => {
    const { trainer } = await start({});
    await trainer.step();
    const state = await trainer.state();
    const others: [object, object[]][] = [
      [{}, [{}, { name: 'other' }]],
      [{}, [{}, { adapter: { rank: 4 } }]],
      [{ method: 'group', groupSize: 4 }, [{}, {}]],
      [{ critic: GRADIENT }, [{}, {}]],
    ];
    for (const [options, agents] of others) {
      const other = await start(options, agents);
      await expect(other.trainer.restore(state)).rejects.toMatchObject({ code: 'state-mismatch' });
      other.trainer.dispose();
    }
    const broken = structuredClone(state);
    broken.tensors.set('critic.0.ridge.moment', { dims: [1], data: Float64Array.of(1) });
    await expect(trainer.restore(broken)).rejects.toThrow('The saved ridge.moment holds 1 numbers');
    trainer.dispose();
  });
});
