/** Faults that were seen in public codes and no other test here would notice, on a real model where it takes one. */
import { describe, expect, it } from 'vitest';
import { at } from '../../../src/marft/arrays.ts';
import { evaluateTeam } from '../../../src/marft/evaluate.ts';
import { createGame } from '../../../src/marft/game.ts';
import { rollout, utterancesOf } from '../../../src/marft/rollout.ts';
import { loraSchema } from '../../../src/marft/settings.ts';
import type { GenerateOptions, Policy } from '../../../src/engine/types.ts';
import type { Problem } from '../../../src/tasks/types.ts';
import { letterTask, TableModel, team, toyTokenizer } from './doubles.ts';
import { randomModel } from './random-model.ts';

const tokenizer = toyTokenizer();
const game = createGame(team([{ maxNewTokens: 3, profile: 'x' }, { maxNewTokens: 3, profile: 'a longer one' }]));
/** Prompts of different lengths: whoever pads on the left or shifts positions is found out. */
const problems: Problem[] = ['q', 'a much longer question', 'rs', 'another question'].map((question) => ({ id: question, question, answer: '' }));

/** Policies on a real model that have taken a step, so that they differ from the base and from each other. */
async function movedPolicies(): Promise<Policy[]> {
  const model = await randomModel();
  const policies = await Promise.all([1, 2].map((seed) => model.createPolicy(loraSchema.parse({}), seed)));
  const sequence = { prompt: tokenizer.encode('abc'), tokens: tokenizer.encode('cab') };
  for (const policy of policies) {
    await policy.backward([sequence], 1, { logprobs: [Float32Array.of(1, -1, 1)], entropies: [new Float32Array(3)] });
    await policy.step({ learningRate: 0.05, weightDecay: 0, maxGradNorm: 1 });
  }
  return policies;
}

describe('an agent’s log-probs', () => {
  it('are those of its own tokens in their own places: sampling and training agree on each, and not when shifted by one', async () => {
    const policies = await movedPolicies();
    const episodes = await rollout(game, policies, tokenizer, problems, { key: [1], greedy: false });
    for (const [agent, policy] of policies.entries()) {
      const said = utterancesOf(episodes, agent);
      const { logprobs } = await policy.score(said, 1);
      const sampled = said.flatMap((one) => [...one.logprobs]);
      const scored = logprobs.flatMap((one) => [...one]);
      const distance = (shift: number): number => Math.max(...sampled.slice(1).map((value, t) => Math.abs(value - at(scored, t + 1 - shift))));
      expect(sampled).toHaveLength(scored.length);
      expect(distance(0)).toBeLessThan(1e-4);
      expect(distance(1)).toBeGreaterThan(0.1);
    }
  });

  it('and tokens do not depend on which episodes are played beside, whatever the lengths of their prompts', async () => {
    const policies = await movedPolicies();
    const all = await rollout(game, policies, tokenizer, problems, { key: [2], greedy: false });
    for (let count = 1; count < problems.length; count++) {
      const some = await rollout(game, policies, tokenizer, problems.slice(0, count), { key: [2], greedy: false });
      some.forEach(({ utterances }, row) => {
        utterances.forEach(({ tokens, logprobs }, k) => {
          const other = at(at(all, row).utterances, k);
          expect(tokens).toEqual(other.tokens);
          logprobs.forEach((value, t) => expect(value).toBeCloseTo(at(other.logprobs, t), 4));
        });
      });
    }
  });
});

describe('an adapter', () => {
  it('is moved by a step too small for half precision', async () => {
    const [policy] = await movedPolicies();
    if (!policy) throw new Error('there is a policy');
    const before = await policy.parameters();
    const sequence = { prompt: tokenizer.encode('abc'), tokens: tokenizer.encode('cab') };
    await policy.backward([sequence], 1, { logprobs: [Float32Array.of(1, -1, 1)], entropies: [new Float32Array(3)] });
    await policy.step({ learningRate: 1e-7, weightDecay: 0, maxGradNorm: 1 });
    const after = await policy.parameters();
    const name = [...before.keys()].find((one) => one.includes('lora_A')) ?? '';
    const [old, now] = [before.get(name)?.data ?? new Float32Array(), after.get(name)?.data ?? new Float32Array()];
    // Half precision knows no number between 0.0625 and 0.06256; a step is a thousandth of that gap.
    const large = [...old.keys()].filter((k) => Math.abs(at(old, k)) > 0.0625);
    expect(large.length).toBeGreaterThan(10);
    const moved = large.filter((k) => at(old, k) !== at(now, k));
    expect(moved.length).toBeGreaterThan(large.length / 2);
    expect(Math.max(...large.map((k) => Math.abs(at(old, k) - at(now, k))))).toBeLessThan(3e-5);
  });
});

describe('prompts', () => {
  it('are the same in evaluation as in training, and every agent’s opens with its own profile', async () => {
    const prompts = async (play: (policies: Policy[]) => Promise<unknown>): Promise<Int32Array[][]> => {
      const model = new TableModel();
      const seen: Int32Array[][] = [];
      const policies = await Promise.all([0, 1].map(() => model.createPolicy()));
      const watched = policies.map((policy) => {
        const generate = policy.generate.bind(policy);
        policy.generate = (given: readonly Int32Array[], options: GenerateOptions) => {
          seen.push([...given]);
          return generate(given, options);
        };
        return policy;
      });
      await play(watched);
      return seen;
    };
    const task = letterTask();
    const asked = task.heldOut(3, 1);
    const duo = createGame(team());
    // Greedy, so that both have heard the same from the first agent.
    const training = await prompts((policies) => rollout(duo, policies, tokenizer, asked, { key: [1], greedy: true }));
    const evaluation = await prompts((policies) => evaluateTeam(duo, policies, tokenizer, task, asked, { greedy: true, seed: 1, batch: 3 }));
    expect(training).toHaveLength(2);
    expect(evaluation).toEqual(training);
    training.forEach((ofAgent, agent) => {
      for (const prompt of ofAgent) expect(tokenizer.decode(prompt)).toMatch(new RegExp(`^sprofile ${agent}u`));
    });
  });
});
