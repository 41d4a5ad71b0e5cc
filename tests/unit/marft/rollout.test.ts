import { describe, expect, it } from 'vitest';
import type { GenerateOptions } from '../../../src/engine/types.ts';
import { at } from '../../../src/marft/arrays.ts';
import { createGame } from '../../../src/marft/game.ts';
import { rollout, spokenIds, toSaid } from '../../../src/marft/rollout.ts';
import { judge, rewardSummary } from '../../../src/marft/reward.ts';
import { OPEN, STOP, TablePolicy, letterTask, team, toyTokenizer } from './doubles.ts';

const tokenizer = toyTokenizer();
const game = createGame(team([{ maxNewTokens: 3 }, { maxNewTokens: 3 }]));
const policies = [new TablePolicy(), new TablePolicy()];
const problems = letterTask().heldOut(12, 0);

describe('a rollout', () => {
  it('puts the very ids that a parent sampled, stop token aside, into its successor’s prompt', async () => {
    const episodes = await rollout(game, policies, tokenizer, problems, { key: [1], greedy: false });
    for (const { utterances } of episodes) {
      const [first, second] = utterances;
      const label = tokenizer.encode('\nagent-0: ');
      const expected = [...label, ...(first === undefined ? [] : spokenIds(first)), STOP, OPEN].join(' ');
      expect(second?.prompt.join(' ')).toContain(expected);
    }
  });

  it('is decided by its key, and a row’s draws do not depend on the rows beside it', async () => {
    const play = (count: number, key: number) =>
      rollout(game, policies, tokenizer, problems.slice(0, count), { key: [key], greedy: false });
    const all = await play(12, 1);
    expect((await play(5, 1)).map(({ utterances }) => utterances)).toEqual(all.slice(0, 5).map(({ utterances }) => utterances));
    expect(await play(12, 2)).not.toEqual(all);
  });

  it('never draws a token that could open a turn, and truncates as the agent’s settings say', async () => {
    const asked: GenerateOptions[] = [];
    const spies = policies.map((policy) => ({
      generate: (prompts: readonly Int32Array[], options: GenerateOptions) => {
        asked.push(options);
        return policy.generate(prompts, options);
      },
    }));
    const cut = createGame(team([{ topK: 2, topP: 0.5, minP: 0.1 }, {}]));
    await rollout(cut, spies, tokenizer, problems, { key: [1], greedy: false });
    expect(asked.map(({ bannedIds }) => bannedIds)).toEqual([[OPEN], [OPEN]]);
    expect(asked.map(({ truncation }) => truncation)).toEqual([
      { topK: 2, topP: 0.5, minP: 0.1 },
      { topK: 0, topP: 1, minP: 0 },
    ]);
  });

  it('draws apart for two agents with the same policy and prompt', async () => {
    const twins = createGame(team([{ profile: 'x' }, { profile: 'x' }], { dependency: 'none' }));
    const open = problems.map((problem) => ({ id: problem.id, question: 'q', answer: 'a' }));
    const episodes = await rollout(twins, policies, tokenizer, open, { key: [3], greedy: false });
    const said = (k: number): string => episodes.map(({ utterances }) => at(utterances, k).tokens.join()).join(';');
    expect(said(0)).not.toBe(said(1));
  });
});

describe('an utterance’s mask', () => {
  it('keeps a stop token that equals the pad id as a scored token, and leaves it out of what others see', () => {
    const tokens = Int32Array.of(5, 6, STOP);
    const utterance = { agent: 0, prompt: new Int32Array(1), tokens, logprobs: new Float32Array(3), truncated: false };
    expect(utterance.tokens).toHaveLength(3);
    expect([...toSaid(utterance).content]).toEqual([5, 6]);
  });

  it('takes nothing from an utterance that the length limit cut', () => {
    expect([...spokenIds({ tokens: Int32Array.of(5, 6), truncated: true })]).toEqual([5, 6]);
  });

  it('of an empty utterance is empty', () => {
    expect(spokenIds({ tokens: new Int32Array(0), truncated: false })).toHaveLength(0);
  });
});

describe('the reward', () => {
  it('judges what the answering agent said, wherever it stands in the list', async () => {
    const reversed = createGame(
      team([{ role: 'answers' }, { role: 'speaks' }], { dependency: [[false, false], [true, false]] }),
    );
    const episodes = await rollout(reversed, policies, tokenizer, problems, { key: [1], greedy: false });
    const verdicts = await judge({ game: reversed, task: letterTask(), tokenizer, key: [1] }, episodes);
    episodes.forEach(({ problem, utterances }, k) => {
      const answer = tokenizer.decode(spokenIds(at(utterances, 1)));
      expect(at(utterances, 1).agent).toBe(0);
      expect(at(verdicts, k).reward).toBe(answer === problem.answer ? 1 : 0);
    });
  });

  it('is summed up by mean, deviation and parts', () => {
    const verdicts = [{ reward: 1, parts: { exact: 1, format: 1 } }, { reward: 0, parts: { exact: 0, format: 1 } }];
    expect(rewardSummary(verdicts)).toEqual({ mean: 0.5, std: 0.5, parts: { exact: 0.5, format: 1 } });
  });
});
