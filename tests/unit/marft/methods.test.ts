/** The baselines on one team, task and seed. */
import { describe, expect, it } from 'vitest';
import { at } from '../../../src/marft/arrays.ts';
import { createGame } from '../../../src/marft/game.ts';
import { chainedCredit } from '../../../src/marft/credit.ts';
import { methodOf } from '../../../src/marft/methods.ts';
import type { MetricRow, TrainerEvent } from '../../../src/marft/records.ts';
import { shareRewards } from '../../../src/marft/reward.ts';
import type { Episode } from '../../../src/marft/rollout.ts';
import { Trainer } from '../../../src/marft/trainer.ts';
import { algorithm, letterTask, TableModel, team, toyTokenizer } from './doubles.ts';

const tokenizer = toyTokenizer();

/** An episode in which agent k says `texts[k]`. */
function episode(texts: readonly string[]): Episode {
  const utterances = texts.map((text, agent) => {
    const tokens = tokenizer.encode(text);
    return { agent, prompt: new Int32Array(1), tokens, logprobs: new Float32Array(tokens.length), truncated: true };
  });
  return { problem: { id: 'p', question: 'q', answer: 'a' }, utterances };
}

async function train(settings: object, iterations: number, agents: object[] = [{}, {}]) {
  const model = new TableModel();
  const events: TrainerEvent[] = [];
  const critic = { method: 'gradient', learningRate: 1, window: 2, epochs: 2 };
  const trainer = new Trainer(
    {
      name: 'letters',
      seed: 1,
      task: letterTask(),
      team: team(agents),
      algorithm: algorithm({ learningRate: 1, lrSchedule: 'constant', epochs: 2, critic, ...settings }),
      schedule: { iterations, episodes: 32, evalEvery: 0, evalProblems: 30 },
    },
    { model, tokenizer },
    (event) => events.push(event),
  );
  await trainer.init();
  await trainer.run();
  const rows = events.flatMap((event): MetricRow[] => (event.type === 'iteration' ? [event.metrics] : []));
  return { model, events, trainer, rows };
}

describe('the group baseline', () => {
  const game = createGame(team());
  const episodes = ['a', 'b', 'a', 'a'].map((answer) => episode(['bb', answer]));
  const values = [episodes.map(() => new Float32Array(2)), episodes.map(() => new Float32Array(1))];
  const rewards = [[1, 0, 1, 1], [1, 0, 1, 1]];

  it('compares an episode with the others of its problem only', () => {
    const settings = algorithm({ method: 'group', groupSize: 2, groupDeviation: false });
    const { advantages } = methodOf(settings).credit(game, { episodes, rewards, values, penalties: null }, settings);
    expect(at(advantages, 0).map((ofUtterance) => [...ofUtterance])).toEqual([[0.5, 0.5], [-0.5, -0.5], [0, 0], [0, 0]]);
    expect(at(advantages, 1).map((ofUtterance) => [...ofUtterance])).toEqual([[0.5], [-0.5], [0], [0]]);
  });

  it('divides by the group’s deviation when asked', () => {
    const settings = algorithm({ method: 'group', groupSize: 2 });
    const { advantages, rewards: arrived } = methodOf(settings).credit(game, { episodes, rewards, values, penalties: null }, settings);
    expect(at(at(at(advantages, 0), 0), 0)).toBeCloseTo(1, 6);
    expect(at(arrived, 1).map((ofUtterance) => [...ofUtterance])).toEqual([[1], [0], [1], [1]]);
    expect(at(at(arrived, 0), 0)).toEqual(Float32Array.of(0, 0));
  });

  it('plays each problem in a group of episodes, keeps no critic and learns', async () => {
    const { model, events, rows } = await train({ method: 'group', groupSize: 8 }, 40);
    const [first] = events.flatMap((event) => (event.type === 'iteration' ? [event.episodes] : []));
    for (let k = 0; k < 32; k++) expect(first?.[k]?.expected).toBe(first?.[k - (k % 8)]?.expected);
    expect(model.valueFunctions).toHaveLength(0);
    expect(Object.keys(at(rows, 0)).filter((name) => /critic\/|explained_variance/.test(name))).toEqual([]);
    expect(rows.at(-1)?.['reward/mean']).toBeGreaterThan(0.75);
  });

  it('refuses episodes that do not fall into whole groups', async () => {
    await expect(train({ method: 'group', groupSize: 5 }, 1)).rejects.toThrow('32 episodes do not fall into groups of 5.');
  });
});

describe('MAPoRL’s way', () => {
  it('rewards half for one’s own answer and half for the mean of all', async () => {
    const game = createGame(team([{}, {}]));
    const episodes = [episode(['a', 'b']), episode(['a', 'a']), episode(['b', 'b'])];
    const verdicts = episodes.map(() => ({ reward: 0, parts: {} }));
    const { ofAgents, own } = await shareRewards('mixed', { game, task: letterTask(), tokenizer, key: [1] }, episodes, verdicts);
    expect(own).toEqual([[1, 1, 0], [0, 1, 0]]);
    expect(ofAgents).toEqual([[0.75, 1, 0], [0.25, 1, 0]]);
  });

  it('cuts the dependency and gives everyone the answering agent’s words, and logs each one’s own reward', async () => {
    const { trainer, model, rows } = await train({ method: 'maporl' }, 2, [{ profile: 'x' }, { profile: 'y', instruction: 'Say it.' }]);
    expect(trainer.game.agents.map(({ profile, instruction }) => [profile, instruction])).toEqual([['y', 'Say it.'], ['y', 'Say it.']]);
    expect(trainer.game.layers).toEqual([[0, 1]]);
    expect(model.valueFunctions).toHaveLength(2);
    expect(at(rows, 0)).toHaveProperty('agent-0/reward');
  });

  it('teaches the agent that was told the letter to answer it, and leaves the other one to guess', async () => {
    const { rows } = await train({ method: 'maporl' }, 40);
    expect(rows.at(-1)?.['agent-0/reward']).toBeGreaterThan(0.8);
    expect(rows.at(-1)?.['agent-1/reward']).toBeLessThan(0.6);
  });
});

describe('no training', () => {
  it('plays and moves nothing', async () => {
    const { model, rows } = await train({ method: 'none' }, 2);
    expect(rows).toHaveLength(2);
    expect(model.policies.map(({ steps }) => steps)).toEqual([0, 0]);
    expect(at(rows, 1)).toHaveProperty('reward/mean');
    expect(at(rows, 1)).not.toHaveProperty('agent-0/policy_loss');
  });
});

describe('a team of one', () => {
  it('learns by single-agent PPO: its credit is GAE with the token’s discounts', async () => {
    const game = createGame(team([{}]));
    const settings = algorithm({ gammaToken: 0.9, lambdaToken: 0.8, gammaAgent: 0.1, lambdaAgent: 0.1 });
    const play = { episodes: [episode(['abc'])], rewards: [[1]], values: [[Float32Array.of(0.1, 0.2, 0.4)]], penalties: null };
    const alone = chainedCredit([3], [0.1, 0.2, 0.4], { reward: 1 }, { ...settings, gammaAgent: 1, lambdaAgent: 1 });
    expect(methodOf(settings).credit(game, play, settings).advantages).toEqual([[alone.advantages]]);
    const { rows } = await train({}, 40, [{}]);
    expect(rows.at(-1)?.['reward/mean']).toBeGreaterThan(0.75);
  });
});
