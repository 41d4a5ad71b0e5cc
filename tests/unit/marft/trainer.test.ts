import { describe, expect, it } from 'vitest';
import { at } from '../../../src/marft/arrays.ts';
import type { MetricRow, TrainerEvent } from '../../../src/marft/records.ts';
import type { TrainerSettings } from '../../../src/marft/trainer-settings.ts';
import { Trainer } from '../../../src/marft/trainer.ts';
import { algorithm, letterTask, TableModel, team, toyTokenizer } from './doubles.ts';

const LEARNING = {
  learningRate: 1,
  lrSchedule: 'constant',
  epochs: 2,
  critic: { method: 'gradient', learningRate: 1, window: 2, epochs: 2 },
};

function settings(changes: Partial<TrainerSettings> = {}): TrainerSettings {
  return {
    name: 'letters',
    seed: 1,
    task: letterTask(),
    team: team(),
    algorithm: algorithm(LEARNING),
    schedule: { iterations: 3, episodes: 24, evalEvery: 0, evalProblems: 30 },
    ...changes,
  };
}

interface Run {
  trainer: Trainer;
  model: TableModel;
  events: TrainerEvent[];
  rows: () => MetricRow[];
}

async function start(changes: Partial<TrainerSettings> = {}): Promise<Run> {
  const model = new TableModel();
  const events: TrainerEvent[] = [];
  const trainer = new Trainer(settings(changes), { model, tokenizer: toyTokenizer() }, (event) => events.push(event));
  await trainer.init();
  const rows = (): MetricRow[] => events.flatMap((event) => (event.type === 'iteration' ? [event.metrics] : []));
  return { trainer, model, events, rows };
}

/** Everything of a run that may not depend on time. */
function timeless(events: readonly TrainerEvent[]): string {
  return JSON.stringify(events, (key, value: unknown) => (/^time\/|tok_per_s$/.test(key) ? undefined : value));
}

function typesOf(events: readonly TrainerEvent[]): string[] {
  return events.map(({ type }) => type).filter((type) => type !== 'stage');
}

describe('a run', () => {
  it.each(['marft', 'ippo'] as const)('teaches a team to pass a secret on (%s)', async (method) => {
    const { trainer, events } = await start({
      algorithm: algorithm({ ...LEARNING, method }),
      schedule: { iterations: 40, episodes: 32, evalEvery: 40, evalProblems: 30 },
    });
    await trainer.run();
    const evaluations = events.flatMap((event) => (event.type === 'evaluation' ? [event] : []));
    expect(evaluations.map(({ iteration }) => iteration)).toEqual([0, 40]);
    expect(at(evaluations, 0).evaluation.sampled).toBeLessThan(0.4);
    expect(at(evaluations, 1).evaluation.greedy).toBe(1);
    expect(at(evaluations, 1).evaluation.sampled).toBeGreaterThan(0.8);
  });

  it.each(['sum', 'token', 'word'] as const)('teaches it at the level of whole utterances too (%s)', async (actionNormalization) => {
    const { trainer, rows } = await start({
      algorithm: algorithm({ ...LEARNING, level: 'action', actionNormalization }),
      schedule: { iterations: 30, episodes: 32, evalEvery: 0, evalProblems: 30 },
    });
    await trainer.run();
    expect(rows()[0]?.['reward/mean']).toBeLessThan(0.5);
    expect(rows().at(-1)?.['reward/mean']).toBeGreaterThan(0.8);
  });

  it('is the same again with the same settings and seed, and another one with another seed', async () => {
    const [first, second, third] = [await start(), await start(), await start({ seed: 2 })];
    for (const { trainer } of [first, second, third]) await trainer.run();
    expect(timeless(second.events)).toBe(timeless(first.events));
    expect(timeless(third.events)).not.toBe(timeless(first.events));
  });

  it('trains the same whether or not it is evaluated on the way', async () => {
    const [plain, evaluated] = [await start(), await start({ schedule: { ...settings().schedule, evalEvery: 1 } })];
    await plain.trainer.run();
    await evaluated.trainer.run();
    expect(await evaluated.trainer.parameters()).toEqual(await plain.trainer.parameters());
    expect(evaluated.rows().map((row) => row['reward/mean'])).toEqual(plain.rows().map((row) => row['reward/mean']));
  });

  it('chooses its problems by the seed and draws new ones every iteration', async () => {
    const questions = async (seed: number): Promise<string[]> => {
      const { trainer, events } = await start({ seed });
      await trainer.run();
      return events.flatMap((event) => (event.type === 'iteration' ? [event.episodes.map(({ expected }) => expected).join('')] : []));
    };
    const [first, again, other] = [await questions(5), await questions(5), await questions(6)];
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
    expect(new Set(first).size).toBe(3);
  });

  it('goes through its stages in order and says so', async () => {
    const { trainer, events } = await start();
    await trainer.step();
    expect(events.map((event) => (event.type === 'stage' ? [event.stage, event.agent ?? ''].join(' ').trim() : event.type))).toEqual([
      'rollout',
      'reward',
      'score',
      'values',
      'credit',
      'critic',
      'update agent-0',
      'update agent-1',
      'iteration',
    ]);
  });

  it('waits after every stage for whoever watches, shows what is known by then, and computes the same numbers', async () => {
    const plain = await start();
    await plain.trainer.step();
    const watched = await start();
    const seen: { stage: string; ahead: number; rewards: number; values: boolean; advantages: boolean; updated: string[] }[] = [];
    watched.trainer.watchStages(async ({ stage, agent, episodes }) => {
      // Whatever did not wait would be announced meanwhile.
      await new Promise((resolve) => setTimeout(resolve, 5));
      const tokens = episodes.flatMap(({ utterances }) => utterances.flatMap((one) => one.tokens.map((token) => ({ ...token, agent: one.agent }))));
      seen.push({
        stage: [stage, agent ?? ''].join(' ').trim(),
        ahead: watched.events.filter(({ type }) => type === 'stage').length,
        rewards: episodes.filter(({ reward }) => reward > 0).length,
        values: tokens.some(({ value }) => value !== 0),
        advantages: tokens.some(({ advantage }) => advantage !== 0),
        updated: [...new Set(tokens.flatMap((token) => (token.newLogprob === null ? [] : [token.agent])))],
      });
    });
    await watched.trainer.step();
    await plain.trainer.step();
    await watched.trainer.step();
    expect(timeless(watched.events)).toEqual(timeless(plain.events));
    // Before its first lesson the critic says 0, so it is the second iteration that tells.
    const second = seen.slice(8);
    expect(second.map(({ stage }) => stage)).toEqual(['rollout', 'reward', 'score', 'values', 'credit', 'critic', 'update agent-0', 'update agent-1']);
    expect(second.map(({ ahead }) => ahead)).toEqual([9, 10, 11, 12, 13, 14, 15, 16]);
    expect(second.map(({ rewards }) => rewards > 0)).toEqual([false, true, true, true, true, true, true, true]);
    expect(second.map(({ values }) => values)).toEqual([false, false, false, true, true, true, true, true]);
    expect(second.map(({ advantages }) => advantages)).toEqual([false, false, false, false, true, true, true, true]);
    expect(second.map(({ updated }) => updated.length)).toEqual([0, 0, 0, 0, 0, 0, 1, 2]);
  });

  it('stops at the end of an iteration when asked, and goes on from there', async () => {
    const { trainer, events } = await start();
    const running = trainer.run();
    trainer.pause();
    await running;
    expect(events.at(-1)).toEqual({ type: 'paused', iteration: trainer.iteration, reason: null });
    await trainer.run();
    expect(trainer.iteration).toBe(3);
    expect(typesOf(events)).toEqual(['iteration', 'paused', 'iteration', 'iteration', 'finished']);
  });

  it('refuses to run twice at once', async () => {
    const { trainer } = await start();
    const running = trainer.run();
    await expect(trainer.run()).rejects.toThrow('running already');
    await running;
  });
});

describe('an iteration', () => {
  it('logs the documented names with finite numbers', async () => {
    const { trainer } = await start({ schedule: { ...settings().schedule, evalEvery: 1 } });
    const row = await trainer.step();
    const own = 'policy_loss approx_kl old_approx_kl clipfrac entropy ratio_mean ratio_max ref_kl adv_mean adv_std grad_norm lora_norm lr tokens mean_len truncated_frac skipped_updates';
    const names = [
      'reward/mean reward/std reward/exact reward/frac_zero_std eval/reward',
      'critic/value_loss critic/explained_variance critic/vpred_mean critic/clipfrac critic/grad_norm',
      'rollout/tok_per_s train/tok_per_s time/rollout_s time/iteration_s sampling/logp_diff_mean sampling/logp_diff_max mem/gpu_mb',
      ...['agent-0', 'agent-1'].map((agent) => own.split(' ').map((name) => `${agent}/${name}`).join(' ')),
    ].flatMap((line) => line.split(' '));
    expect(Object.keys(row)).toEqual(expect.arrayContaining(names));
    expect(Object.values(row).every(Number.isFinite)).toBe(true);
    expect(row['sampling/logp_diff_max']).toBeLessThan(1e-6);
  });

  it('hands out transcripts that agree with themselves', async () => {
    const { trainer, events } = await start();
    await trainer.step();
    const [episodes = []] = events.flatMap((event) => (event.type === 'iteration' ? [event.episodes] : []));
    expect(episodes).toHaveLength(24);
    for (const { utterances, reward, privateQuestions, expected } of episodes) {
      expect(utterances.map(({ agent }) => agent)).toEqual(['agent-0', 'agent-1']);
      expect(privateQuestions).toEqual({ 'agent-0': expected });
      expect(at(utterances, 0).prompt).toContain(`secret: ${expected}<stop><open>`);
      const tokens = utterances.flatMap((utterance) => utterance.tokens);
      expect(tokens.map((token) => token.reward)).toEqual(tokens.map((_, k) => (k === tokens.length - 1 ? reward : 0)));
      for (const token of tokens) {
        expect(token.ratio).toBeCloseTo(Math.exp((token.newLogprob ?? 0) - token.logprob), 6);
        expect(token.refKl).toBe(0);
      }
    }
  });

  it('emits no more transcripts than a page can use', async () => {
    const { trainer, events } = await start({ schedule: { ...settings().schedule, episodes: 40 } });
    await trainer.step();
    const [episodes = []] = events.flatMap((event) => (event.type === 'iteration' ? [event.episodes] : []));
    expect(episodes).toHaveLength(32);
  });

  it('plays a frozen agent, moves nothing of it and has no new log-probs of it', async () => {
    const { trainer, model, events } = await start({ team: team([{ trainable: false }, {}]) });
    const row = await trainer.step();
    expect(model.policies.map(({ steps }) => steps)).toEqual([0, 2]);
    expect(row).not.toHaveProperty('agent-0/policy_loss');
    expect(row).toHaveProperty('agent-0/entropy');
    const [episodes = []] = events.flatMap((event) => (event.type === 'iteration' ? [event.episodes] : []));
    expect(episodes[0]?.utterances[0]?.tokens[0]?.newLogprob).toBeNull();
    expect(episodes[0]?.utterances[1]?.tokens[0]?.newLogprob).not.toBeNull();
  });

  it('updates no policy when every episode brought the same, and counts that', async () => {
    const task = { ...letterTask(), verify: () => ({ reward: 1, parts: {} }) };
    const { trainer, model } = await start({ task });
    const row = await trainer.step();
    expect(row['agent-0/skipped_updates']).toBe(2);
    expect(row['reward/frac_zero_std']).toBe(1);
    expect(row).not.toHaveProperty('agent-0/policy_loss');
    expect(model.policies.map(({ steps }) => steps)).toEqual([0, 0]);
    expect(model.valueFunctions[0]?.steps).toBeGreaterThan(0);
  });

  it.each([
    ['joint steps', { updateSchedule: 'joint' }],
    ['blocks', { updateSchedule: 'blocks', blockIterations: 2 }],
    ['HAPPO’s factor', { happo: 'sum' }],
    ['a penalty in the reward and a loss per sequence', { klRewardCoef: 0.01, lossAveraging: 'per-sequence' }],
    ['cosine and warm-up', { lrSchedule: 'cosine', warmupIterations: 3 }],
  ])('learns with %s', async (_, options) => {
    const { trainer, rows } = await start({
      algorithm: algorithm({ ...LEARNING, ...options }),
      schedule: { iterations: 40, episodes: 32, evalEvery: 0, evalProblems: 30 },
    });
    await trainer.run();
    expect(rows().at(-1)?.['reward/mean']).toBeGreaterThan(0.75);
  });

  it('follows the same curve whatever the micro-batch', async () => {
    const curve = async (microBatch: number): Promise<(number | undefined)[]> => {
      const { trainer, rows } = await start({ algorithm: algorithm({ ...LEARNING, microBatch }) });
      await trainer.run();
      return rows().flatMap((row) => [row['reward/mean'], row['agent-0/approx_kl'], row['critic/value_loss']]);
    };
    const [whole, parts] = [await curve(0), await curve(5)];
    whole.forEach((value, k) => expect(parts[k]).toBeCloseTo(value ?? Number.NaN, 4));
  });

  it('teaches the critic and no policy while the critic warms up', async () => {
    const { trainer, model } = await start({ algorithm: algorithm({ ...LEARNING, critic: { ...LEARNING.critic, warmupIterations: 2 } }) });
    const row = await trainer.step();
    await trainer.step();
    expect(row['agent-0/skipped_updates']).toBe(2);
    expect(model.policies.map(({ steps }) => steps)).toEqual([0, 0]);
    expect(at(model.valueFunctions, 0).steps).toBeGreaterThan(0);
    await trainer.step();
    expect(model.policies.map(({ steps }) => steps)).toEqual([2, 2]);
  });

  it('keeps a critic per agent for independent PPO and one for the team otherwise', async () => {
    const independent = await start({ algorithm: algorithm({ ...LEARNING, method: 'ippo' }) });
    await independent.trainer.step();
    expect(independent.model.valueFunctions.map(({ steps }) => steps)).toEqual([2, 2]);
    const central = await start();
    await central.trainer.step();
    expect(central.model.valueFunctions.map(({ steps }) => steps)).toEqual([2]);
  });

  it('fits the critic on a window of iterations that stops growing', async () => {
    const { trainer, model } = await start();
    const steps: number[] = [];
    for (let k = 0; k < 4; k++) {
      await trainer.step();
      steps.push(at(model.valueFunctions, 0).steps);
    }
    // Two epochs, over one iteration's transcripts and then over two.
    expect(steps).toEqual([2, 6, 10, 14]);
  });
});

describe('updates that are not finite', () => {
  it('pause the run after three in a row with the reason, and leave the weights alone', async () => {
    const { trainer, model, events, rows } = await start();
    for (const policy of model.policies) policy.poisoned = true;
    at(model.valueFunctions, 0).poisoned = true;
    await trainer.run();
    expect(events.at(-1)).toMatchObject({ type: 'paused', iteration: 1 });
    expect(events.at(-1)).toHaveProperty('reason', expect.stringContaining('3 updates in a row'));
    expect(rows()[0]).toMatchObject({ 'agent-0/dropped_steps': 1, 'agent-1/dropped_steps': 1, 'critic/dropped_steps': 1 });
    expect(model.policies.every(({ rows: table }) => table.size === 0)).toBe(true);
  });

  it('of one agent alone are counted and do not stop the others', async () => {
    const { trainer, model, events, rows } = await start();
    at(model.policies, 0).poisoned = true;
    await trainer.run();
    expect(events.at(-1)).toMatchObject({ type: 'finished', iteration: 3 });
    expect(rows().map((row) => row['agent-0/dropped_steps'])).toEqual([1, 1, 1]);
    expect(model.policies[1]?.steps).toBe(6);
  });
});

describe('an iteration that has gone wrong', () => {
  const wild = (learningRate: number, klLimit: number | null) => start({ algorithm: algorithm({ ...LEARNING, learningRate, epochs: 1, klLimit }) });

  it('pauses the run with the agent’s name, the number and a way out, and is not saved', async () => {
    const { trainer, events } = await wild(1, 0.01);
    const saved: number[] = [];
    await trainer.run(() => Promise.resolve(void saved.push(trainer.iteration)));
    expect(events.at(-1)).toMatchObject({ type: 'paused' });
    expect(events.at(-1)).toHaveProperty('reason', expect.stringMatching(/agent-[01].* 0\.\d nats a token.*beyond the limit of 0\.01\. The last checkpoint .*lower learning rate/));
    expect(saved).toEqual(Array.from({ length: trainer.iteration - 1 }, (_, k) => k + 1));
  });

  it('does not count where there is no limit, nor within the default one', async () => {
    for (const klLimit of [null, 5]) {
      const { trainer, events } = await wild(1, klLimit);
      const saved: number[] = [];
      await trainer.run(() => Promise.resolve(void saved.push(trainer.iteration)));
      expect(events.at(-1)).toMatchObject({ type: 'finished' });
      expect(saved).toEqual([1, 2, 3]);
    }
  });

  it('is one whose weights have grown beyond all bounds, whatever the limit', async () => {
    const { trainer, model, events } = await wild(1, null);
    await trainer.step();
    at(model.policies, 1).rows.forEach((row) => row.fill(Infinity));
    await trainer.run();
    expect(events.at(-1)).toMatchObject({ type: 'paused', iteration: 2 });
    expect(events.at(-1)).toHaveProperty('reason', expect.stringContaining('The log-probs of agent-1 are no longer finite numbers'));
  });

  it('is remembered across a pause that was asked for', async () => {
    const { trainer, model, events } = await start({ schedule: { ...settings().schedule, iterations: 9 } });
    for (const policy of model.policies) policy.poisoned = true;
    at(model.valueFunctions, 0).poisoned = false;
    const running = trainer.run();
    trainer.pause();
    await running;
    const state = await trainer.state();
    expect(state.droppedInARow).toBe(2);
    at(model.valueFunctions, 0).poisoned = true;
    await trainer.run();
    expect(events.at(-1)).toHaveProperty('reason', expect.stringContaining('updates in a row'));
  });
});
