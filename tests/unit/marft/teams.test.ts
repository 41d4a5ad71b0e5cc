/** Teams of several shapes and turns. */
import { describe, expect, it } from 'vitest';
import { applyOverrides } from '../../../src/experiment/overrides.ts';
import { presetByName } from '../../../src/experiment/presets.ts';
import { at } from '../../../src/marft/arrays.ts';
import { createGame, parentsOf } from '../../../src/marft/game.ts';
import { methodOf } from '../../../src/marft/methods.ts';
import { agentMessages } from '../../../src/marft/prompt.ts';
import type { MetricRow, TrainerEvent } from '../../../src/marft/records.ts';
import { judge } from '../../../src/marft/reward.ts';
import { rollout, spokenIds } from '../../../src/marft/rollout.ts';
import { TEAM_TEMPLATES, teamTemplate } from '../../../src/marft/templates.ts';
import { Trainer } from '../../../src/marft/trainer.ts';
import { criticViews } from '../../../src/marft/views.ts';
import { algorithm, letterTask, TableModel, TablePolicy, team, toyTokenizer } from './doubles.ts';

const tokenizer = toyTokenizer();

describe('a team template', () => {
  it.each(TEAM_TEMPLATES)('%s can be played, and its last agent answers', (name) => {
    const game = createGame(teamTemplate(name));
    expect(game.answerer).toBe(game.agents.length - 1);
    expect(parentsOf(game, game.answerer)).toHaveLength(game.agents.length - 1);
  });

  it('parallel-judge has its workers in one layer', () => {
    expect(createGame(teamTemplate('parallel-judge')).layers).toEqual([[0, 1, 2], [3]]);
  });
});

describe('an experiment', () => {
  it('takes a template by name, and then its fields', () => {
    const changed = applyOverrides(presetByName('duo-addition'), ['team=debate', 'team.horizon=3', 'team.agents.0.maxNewTokens=9']);
    expect(changed.team.agents.map(({ name }) => name)).toEqual(['proposer', 'opponent', 'judge']);
    expect([changed.team.horizon, changed.team.agents[0]?.maxNewTokens]).toEqual([3, 9]);
    expect(() => applyOverrides(presetByName('duo-addition'), ['team=orchestra'])).toThrow('team');
  });
});

describe('agents of a layer', () => {
  it('act on the same snapshot: what one says is in no other’s prompt', async () => {
    const parallel = createGame(teamTemplate('parallel-judge'));
    const policies = parallel.agents.map(() => new TablePolicy());
    const [episode] = await rollout(parallel, policies, tokenizer, letterTask().heldOut(1, 0), { key: [1], greedy: false });
    const prompts = (episode?.utterances ?? []).map(({ prompt }) => tokenizer.decode(prompt));
    for (const prompt of prompts.slice(0, 3)) expect(prompt).not.toMatch(/(first|second|third): /);
    expect(prompts[3]).toMatch(/first: [^]*second: [^]*third: /);
  });
});

describe('an episode of several turns', () => {
  const game = createGame(team([{ maxNewTokens: 2 }, { maxNewTokens: 2 }], { horizon: 3 }));
  const policies = [new TablePolicy(), new TablePolicy()];
  const problems = letterTask().heldOut(24, 0);
  const play = (isOver?: (problem: unknown, answers: readonly string[]) => boolean) =>
    rollout(game, policies, tokenizer, problems, { key: [1], greedy: false, isOver });

  it('repeats the pipeline, and its first turn is that of an episode of one turn', async () => {
    const single = createGame(team([{ maxNewTokens: 2 }, { maxNewTokens: 2 }]));
    const once = await rollout(single, policies, tokenizer, problems, { key: [1], greedy: false });
    const episodes = await play();
    expect(episodes.map(({ utterances }) => utterances.map(({ agent }) => agent))).toEqual(problems.map(() => [0, 1, 0, 1, 0, 1]));
    expect(episodes.map(({ utterances }) => utterances.slice(0, 2))).toEqual(once.map(({ utterances }) => utterances));
  });

  it('shows the earlier turns before this one’s', () => {
    const said = (agent: number, id: number) => ({ agent, content: Int32Array.of(id) });
    const messages = agentMessages(game, 1, { question: 'Q' }, [said(0, 13)], [said(0, 11), said(1, 12)]);
    expect(messages[1]?.content).toEqual([
      'Q\nagent-0: ', Int32Array.of(11), '\nagent-1: ', Int32Array.of(12), '\nagent-0: ', Int32Array.of(13),
    ]);
  });

  it('passes nothing on where D is cut, except one’s own words', () => {
    const cut = createGame(team([{}, {}], { horizon: 2, dependency: 'none' }));
    const earlier = [{ agent: 0, content: 'mine' }, { agent: 1, content: 'yours' }];
    expect(agentMessages(cut, 0, { question: 'Q' }, [], earlier)[1]?.content).toEqual(['Q\nagent-0: mine']);
  });

  it('is judged by its last answer', async () => {
    const episodes = await play();
    const verdicts = await judge({ game, task: letterTask(), tokenizer, key: [1] }, episodes);
    verdicts.forEach(({ reward }, k) => {
      const { problem, utterances } = at(episodes, k);
      expect(reward).toBe(tokenizer.decode(spokenIds(at(utterances, 5))) === problem.answer ? 1 : 0);
    });
  });

  it('ends early where the task says so, and the other episodes are not changed by it', async () => {
    const all = await play();
    const some = await play((_, answers) => /^[ab]/.test(answers.at(-1) ?? ''));
    const lengths = some.map(({ utterances }) => utterances.length);
    expect(new Set(lengths).size).toBeGreaterThan(1);
    some.forEach(({ utterances }, k) => expect(utterances).toEqual(at(all, k).utterances.slice(0, utterances.length)));
  });

  it('is one chain through all turns: the edge to the next turn discounts like the one to the next agent', async () => {
    const episodes = await play((_, answers) => /^[ab]/.test(answers.at(-1) ?? ''));
    const settings = algorithm({ gammaAgent: 0.5, lambdaAgent: 1, lambdaToken: 1 });
    const zeros = game.agents.map((_, agent) =>
      episodes.flatMap(({ utterances }) => utterances.filter((one) => one.agent === agent).map(({ tokens }) => new Float32Array(tokens.length))),
    );
    const ones = [problems.map(() => 1), problems.map(() => 1)];
    const { advantages, rewards } = methodOf(settings).credit(game, { episodes, rewards: ones, values: zeros, penalties: null }, settings);
    const next = [0, 0];
    for (const { utterances } of episodes) {
      utterances.forEach(({ agent }, k) => {
        const slot = at(next, agent);
        next[agent] = slot + 1;
        expect(at(at(at(advantages, agent), slot), 0)).toBe(0.5 ** (utterances.length - 1 - k));
        expect(at(at(rewards, agent), slot).at(-1)).toBe(k === utterances.length - 1 ? 1 : 0);
      });
    }
    expect(criticViews(game, tokenizer, episodes, settings)[0]?.spans.map((spans) => spans.length)).toEqual(episodes.map(({ utterances }) => utterances.length));
  });

  it.each(['marft', 'ippo', 'group'])('can be learnt from (%s)', async (method) => {
    const events: TrainerEvent[] = [];
    const trainer = new Trainer(
      {
        name: 'turns',
        seed: 1,
        task: letterTask(),
        team: team([{}, {}], { horizon: 2 }),
        algorithm: algorithm({ method, learningRate: 1, lrSchedule: 'constant', epochs: 2, happo: 'sum' }),
        schedule: { iterations: 40, episodes: 32, evalEvery: 0, evalProblems: 30 },
      },
      { model: new TableModel(), tokenizer },
      (event) => events.push(event),
    );
    await trainer.init();
    await trainer.run();
    const rows = events.flatMap((event): MetricRow[] => (event.type === 'iteration' ? [event.metrics] : []));
    expect(rows.at(-1)?.['reward/mean']).toBeGreaterThan((rows[0]?.['reward/mean'] ?? 1) + 0.25);
  });
});
