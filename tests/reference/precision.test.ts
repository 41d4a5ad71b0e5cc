/**
 * A base in half precision and in 4 bits against PyTorch on weights rounded by the same rule (`precision_fixtures.py`), on Node's CPU build and
 * on WASM; and how far that is from the weights as they were.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadLanguageModel, type LoraPolicy, type QwenModel } from '../../src/engine/model.ts';
import type { TokenScores } from '../../src/engine/types.ts';
import type { Backend } from '../../src/runtime/backend.ts';
import { BACKENDS } from './backends.ts';
import { MODELS, below, expectClose, expectTensors, fixtureAdapter, fixtureJson, fixtureRepository, fixtureTensors, flat, sequences, type Manifest } from './fixtures.ts';

describe.each(Object.entries(BACKENDS))('on %s', (_, open) => {
  let backend: Backend;

  beforeAll(async () => {
    backend = await open();
  });

  describe.each(MODELS)('%s', (name) => {
    const manifest = fixtureJson<Manifest>(`${name}/manifest.json`);
    const given = fixtureTensors(`${name}/expected.safetensors`);
    const batch = sequences(manifest.sequences);
    const { lora, parameters } = fixtureAdapter(`${name}/adapter-all`);

    describe.each(['f16', '4-bit'] as const)('in %s', (precision) => {
      const expected = below(fixtureTensors(`${name}/precision.safetensors`), `${precision}.`);
      const numbers = (key: string): Float32Array => expected.get(key)?.data ?? new Float32Array(0);
      let model: QwenModel;
      let policy: LoraPolicy;

      beforeAll(async () => {
        model = await loadLanguageModel(backend, await fixtureRepository(name), { precision });
        policy = await model.createPolicy(lora, 1);
        await policy.restore(parameters);
      });

      afterAll(() => {
        policy.dispose();
        model.dispose();
        expect(backend.liveTensors()).toBe(0);
      });

      it('gives the same log-probs and entropies, with and without an adapter', async () => {
        for (const [who, scored] of [['base', model.base], ['all', policy]] as const) {
          const scores = await scored.score(batch, manifest.lossTemperature);
          expectClose(flat(scores.logprobs), numbers(`logprobs.${who}`), `log-probs of ${who}`);
          expectClose(flat(scores.entropies), numbers(`entropies.${who}`), `entropies of ${who}`);
        }
      });

      it('gives the same gradient by the adapter', async () => {
        const tensor = (key: string): Float32Array => given.get(key)?.data ?? new Float32Array(0);
        const cotangents: TokenScores = {
          logprobs: batch.map((__, row) => tensor(`cotangent.logprob.${row}`)),
          entropies: batch.map((__, row) => tensor(`cotangent.entropy.${row}`)),
        };
        await policy.backward(batch, manifest.lossTemperature, cotangents);
        expectTensors(await policy.gradients(), below(expected, 'grad.'), 'the gradient by');
        await policy.zeroGrad();
      });

      it('decodes with the weights that it scores with', async () => {
        const options = { maxNewTokens: 6, temperature: 1, greedy: false, uniform: (row: number, position: number) => (0.37 * (row + 1) + 0.29 * position) % 1, stopIds: [0], bannedIds: [] };
        const prompts = batch.map(({ prompt }) => prompt);
        for (const one of [model.base, policy]) {
          const generated = await one.generate(prompts, options);
          const scores = await one.score(generated.map(({ tokens }, row) => ({ prompt: prompts[row] ?? new Int32Array(0), tokens })), 1);
          expectClose(generated.flatMap(({ logprobs }) => [...logprobs]), flat(scores.logprobs), 'log-probs while decoding');
        }
      });
    });
  });
});
