/** An adapter may sit on any of the seven projections, and each agent's on others. */
import { afterAll, describe, expect, it } from 'vitest';
import { loadLanguageModel, type LoraPolicy } from '../../../src/engine/model.ts';
import { LORA_TARGETS, loraSchema } from '../../../src/marft/settings.ts';
import { createNodeBackend } from '../../../src/runtime/node.ts';
import { expectClose, fixtureAdapter, fixtureJson, fixtureRepository, flat, sequences, type Manifest } from '../../reference/fixtures.ts';

const BASE = 'qwen3-tied';
const manifest = fixtureJson<Manifest>(`${BASE}/manifest.json`);
const batch = sequences(manifest.sequences);
const whole = fixtureAdapter(`${BASE}/adapter-all`);
const model = await loadLanguageModel(createNodeBackend(), await fixtureRepository(BASE));
afterAll(() => model.dispose());

const ones = { logprobs: batch.map(({ tokens }) => new Float32Array(tokens.length).fill(1)), entropies: batch.map(({ tokens }) => new Float32Array(tokens.length)) };

async function learnt(policy: LoraPolicy) {
  await policy.backward(batch, 1, ones);
  return { scores: flat((await policy.score(batch, 1)).logprobs), gradients: await policy.gradients() };
}

describe('an adapter on some projections', () => {
  it.each([...LORA_TARGETS.map((target) => [target]), ['o_proj', 'gate_proj'], ['k_proj', 'v_proj', 'up_proj', 'down_proj']] as (typeof LORA_TARGETS)[number][][])(
    'is the adapter on all of them with the others silent: %s %s %s %s',
    async (...given) => {
      const targets = LORA_TARGETS.filter((target) => given.includes(target));
      const isOwn = (name: string): boolean => targets.some((target) => name.includes(`.${target}.`));
      const some = await model.createPolicy({ ...whole.lora, targets }, 1);
      await some.restore(new Map([...whole.parameters].filter(([name]) => isOwn(name))));
      const all = await model.createPolicy(whole.lora, 1);
      await all.restore(new Map([...whole.parameters].map(([name, tensor]) => [name, isOwn(name) || name.includes('lora_A') ? tensor : { ...tensor, data: new Float32Array(tensor.data.length) }])));
      const [own, expected] = [await learnt(some), await learnt(all)];
      expectClose(own.scores, expected.scores, 'log-probs');
      expect(own.gradients.size).toBe(2 * targets.length * model.shared.config.layers);
      for (const [name, { data }] of own.gradients) expectClose(data, expected.gradients.get(name)?.data ?? [], name);
      some.dispose();
      all.dispose();
    },
  );

  it('learns beside one on others, with another rank and scale, and neither moves the other', async () => {
    const first = await model.createPolicy(loraSchema.parse({ rank: 2, targets: ['q_proj', 'down_proj'] }), 1);
    const second = await model.createPolicy(loraSchema.parse({ rank: 8, targets: ['v_proj'], rslora: true }), 2);
    const step = async (policy: LoraPolicy): Promise<void> => {
      await policy.backward(batch, 1, ones);
      expect((await policy.step(manifest.optimizer)).applied).toBe(true);
    };
    await step(second);
    const before = [await second.parameters(), await second.score(batch, 1)];
    await step(first);
    expect([await second.parameters(), await second.score(batch, 1)]).toEqual(before);
    first.dispose();
    second.dispose();
  });
});
