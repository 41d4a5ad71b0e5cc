/**
 * The engine against PyTorch, transformers and PEFT on random models, on Node's CPU build and on WASM: what `make_fixtures.py` recorded, without Python.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { pad, positionChunks } from '../../src/engine/batch.ts';
import { loadLanguageModel, type LoraPolicy, type QwenModel } from '../../src/engine/model.ts';
import type { TensorMap, TokenScores } from '../../src/engine/types.ts';
import { concat, splitLike } from '../../src/marft/arrays.ts';
import { objective } from '../../src/marft/objective.ts';
import { updatePolicy } from '../../src/marft/update-policy.ts';
import { pretrainGraph } from '../../src/qwen/pretrain-graph.ts';
import { disposeAll, pick, readFloats, type Backend } from '../../src/runtime/backend.ts';
import { BACKENDS } from './backends.ts';
import {
  MODELS,
  below,
  expectClose,
  expectTensors,
  fixtureAdapter,
  fixtureJson,
  fixtureRepository,
  fixtureTensors,
  flat,
  sequences,
  type Manifest,
} from './fixtures.ts';

const ADAPTERS = ['all', 'qv'] as const;

const PLACES = Object.entries(BACKENDS).flatMap(([place, open]) => MODELS.map((name) => ({ name, place, open })));

describe.each(PLACES)('$name on $place', ({ name, open }) => {
  const manifest = fixtureJson<Manifest>(`${name}/manifest.json`);
  const expected = fixtureTensors(`${name}/expected.safetensors`);
  const batch = sequences(manifest.sequences);
  const { lossTemperature, optimizer } = manifest;
  let backend: Backend;
  let model: QwenModel;

  beforeAll(async () => {
    backend = await open();
    model = await loadLanguageModel(backend, await fixtureRepository(name));
  });

  afterAll(() => {
    model.dispose();
    expect(backend.liveTensors()).toBe(0);
  });

  const tensor = (key: string): Float32Array => {
    const found = expected.get(key);
    if (!found) throw new Error(`the fixture has no ${key}`);
    return found.data;
  };

  /** One array a row, as the engine takes and gives them. */
  const rows = (numbers: ArrayLike<number>): Float32Array[] => splitLike(Float32Array.from(numbers), batch.map(({ tokens }) => tokens));

  const expectSameScores = async (policy: Pick<LoraPolicy, 'score'>, who: string): Promise<void> => {
    for (const temperature of manifest.temperatures) {
      const scores = await policy.score(batch, temperature);
      batch.forEach((_, row) => {
        const key = `${who}.${temperature}.${row}`;
        expectClose(scores.logprobs[row] ?? [], tensor(`logprob.${key}`), `logprob.${key}`);
        expectClose(scores.entropies[row] ?? [], tensor(`entropy.${key}`), `entropy.${key}`);
      });
    }
  };

  /** Scores every id of the vocabulary after every prefix of the first row. */
  const expectSameLogits = async (policy: Pick<LoraPolicy, 'score'>, who: string): Promise<void> => {
    const [first] = manifest.sequences;
    const row = [...(first?.prompt ?? []), ...(first?.tokens ?? [])];
    const logits = tensor(`logits.${who}.0`);
    const vocabulary = logits.length / row.length;
    const targets = row.flatMap((_, t) =>
      Array.from({ length: vocabulary }, (_, id) => ({ prompt: Int32Array.from(row.slice(0, t + 1)), tokens: Int32Array.of(id) })),
    );
    const scores = flat((await policy.score(targets, 1)).logprobs);
    const wanted = row.flatMap((_, t) => logSoftmax(logits.subarray(t * vocabulary, (t + 1) * vocabulary)));
    expectClose(scores, wanted, 'log-probs of the vocabulary');
  };

  const expectSameGreedy = async (policy: Pick<LoraPolicy, 'generate'>, who: 'base' | 'all' | 'qv'): Promise<void> => {
    const { maxNewTokens, stopId } = manifest.greedy;
    const generations = await policy.generate(
      batch.map(({ prompt }) => prompt),
      { maxNewTokens, temperature: 1, greedy: true, uniform: () => 0, stopIds: [stopId], bannedIds: [] },
    );
    const tokens = manifest.greedy[who];
    expect(generations.map((generation) => [...generation.tokens])).toEqual(tokens);
    expect(generations.map(({ truncated }) => truncated)).toEqual(tokens.map((row) => row.at(-1) !== stopId));
  };

  it('gives every generated token the same log-prob and entropy', () => expectSameScores(model.base, 'base'));
  it('gives the whole vocabulary the same log-probs after every prefix', () => expectSameLogits(model.base, 'base'));
  it('generates the same tokens greedily and stops where transformers stops', () => expectSameGreedy(model.base, 'base'));

  it('gives the same gradient of the cross-entropy by every parameter', async () => {
    const { loss, gradients } = await crossEntropy(model, manifest.sequences.map(({ prompt, tokens }) => [...prompt, ...tokens]));
    expectClose([loss], [manifest.fullLoss], 'the loss');
    expectTensors(gradients, below(expected, 'full.'), 'the gradient by');
  });

  describe.each(ADAPTERS)('under PEFT\'s adapter "%s"', (who) => {
    const { lora, parameters } = fixtureAdapter(`${name}/adapter-${who}`);
    const ppo = manifest.ppo[who];
    let policy: LoraPolicy;

    beforeAll(async () => {
      policy = await model.createPolicy(lora, 1);
    });

    beforeEach(() => policy.restore(parameters));

    afterAll(() => {
      policy.dispose();
    });

    it('has the settings that PEFT was given', () => {
      expect(lora).toEqual({ rank: manifest.rank, alpha: manifest.alpha, targets: manifest.adapters[who], rslora: false });
    });

    it('gives the same log-probs and entropies', () => expectSameScores(policy, who));
    it('gives the whole vocabulary the same log-probs after every prefix', () => expectSameLogits(policy, who));
    it('generates the same tokens greedily', () => expectSameGreedy(policy, who));

    it('gives the same gradient, and the same adapter after one and after three steps of AdamW', async () => {
      const cotangents: TokenScores = {
        logprobs: batch.map((_, row) => tensor(`cotangent.logprob.${row}`)),
        entropies: batch.map((_, row) => tensor(`cotangent.entropy.${row}`)),
      };
      const norms: number[] = [];
      for (let step = 1; step <= 3; step++) {
        await policy.backward(batch, lossTemperature, cotangents);
        if (step === 1) expectTensors(await policy.gradients(), below(expected, `grad.${who}.`), 'the gradient by');
        norms.push((await policy.step(optimizer)).gradNorm);
        if (step !== 2) expectTensors(await policy.parameters(), below(expected, `step${step}.${who}.`), `after step ${step}`);
      }
      expectClose(norms, manifest.training[who].gradNorms, 'norms of the gradient');
    });

    it('goes back from an open pass as from a batch that goes forward again, and holds nothing afterwards', async () => {
      const cotangents: TokenScores = {
        logprobs: batch.map((_, row) => tensor(`cotangent.logprob.${row}`)),
        entropies: batch.map((_, row) => tensor(`cotangent.entropy.${row}`)),
      };
      await policy.backward(batch, lossTemperature, cotangents);
      const expectedGradients = await policy.gradients();
      await policy.zeroGrad();
      const held = backend.liveTensors();
      const pass = await policy.open(batch, lossTemperature);
      expect(pass.scores).toEqual(await policy.score(batch, lossTemperature));
      await pass.backward(cotangents);
      expect(await policy.gradients()).toEqual(expectedGradients);
      await policy.zeroGrad();
      const unused = await policy.open(batch, lossTemperature);
      expect(backend.liveTensors()).toBeGreaterThan(held);
      unused.close();
      expect(backend.liveTensors()).toBe(held);
    });

    it('gives the same gradient of a clipped objective whose old log-probs are another policy\'s, and takes the same step', async () => {
      const scores = await policy.score(batch, lossTemperature);
      const now = objective(
        {
          newLogprobs: concat(scores.logprobs),
          oldLogprobs: Float32Array.from(ppo.old),
          refLogprobs: concat(scores.logprobs),
          advantages: Float32Array.from(ppo.advantages),
          entropies: concat(scores.entropies),
        },
        { clipLow: ppo.clip, clipHigh: ppo.clip, entropyCoef: 0, klLossCoef: 0 },
      );
      expectClose([now.loss], ppo.step.losses, 'loss');
      expectClose([now.shift.clipfrac], ppo.step.clipfracs, 'clipped fraction');
      await policy.backward(batch, lossTemperature, { logprobs: rows(now.dLogprobs), entropies: rows(now.dEntropies) });
      expectTensors(await policy.gradients(), below(expected, `ppograd.${who}.`), 'the gradient by');
      expectClose([(await policy.step(optimizer)).gradNorm], ppo.step.gradNorms, 'norm of the gradient');
      expectTensors(await policy.parameters(), below(expected, `ppo.${who}.`), 'after the step');
    });

    it('makes the same PPO update over four epochs, with entropy bonus, penalty and clipped ratios', async () => {
      const update = await updatePolicy(
        policy,
        {
          utterances: batch,
          temperature: lossTemperature,
          old: await policy.score(batch, lossTemperature),
          ref: (await model.base.score(batch, lossTemperature)).logprobs,
          advantages: rows(ppo.advantages),
        },
        {
          clipLow: ppo.clip,
          clipHigh: ppo.clip,
          entropyCoef: ppo.entropyCoef,
          klLossCoef: ppo.klLossCoef,
          epochs: ppo.update.losses.length,
          targetKl: null,
        },
        optimizer,
      );
      expectClose(update.objectives.map(({ loss }) => loss), ppo.update.losses, 'losses');
      expectClose(update.objectives.map(({ shift }) => shift.clipfrac), ppo.update.clipfracs, 'clipped fractions');
      expectClose(update.gradNorms, ppo.update.gradNorms, 'norms of the gradient');
      expectTensors(await policy.parameters(), below(expected, `update.${who}.`), 'after the update');
      expectClose(flat(update.newLogprobs ?? []), ppo.update.after, 'log-probs after the update');
    });
  });
});

function logSoftmax(logits: Float32Array): number[] {
  const most = Math.max(...logits);
  const sum = logits.reduce((total, logit) => total + Math.exp(logit - most), 0);
  return Array.from(logits, (logit) => logit - most - Math.log(sum));
}

/** Mean cross-entropy of every token but the first of each row, and its gradient by every parameter. */
async function crossEntropy({ shared }: QwenModel, rows: readonly number[][]): Promise<{ loss: number; gradients: TensorMap }> {
  const { backend, config, positions: maxPositions } = shared;
  const padded = pad(rows.map((row) => Int32Array.from(row)));
  const positions = rows.flatMap((row, r) => row.slice(1).map((_, t) => r * padded.length + t));
  const tokens = positions.length;
  const [chunk] = positionChunks(positions, padded.ids.length, tokens, 1);
  if (!chunk) throw new Error('the batch predicts nothing');
  const inputs = {
    ids: backend.upload(padded.ids, [padded.ids.length]),
    index: backend.upload(chunk.index, [tokens]),
    inverse: backend.upload(chunk.inverse, [padded.ids.length]),
    targets: backend.upload(Int32Array.from(rows.flatMap((row) => row.slice(1))), [tokens]),
    weights: backend.upload(new Float32Array(tokens).fill(1 / tokens), [tokens]),
  };
  const shape = { batch: rows.length, length: padded.length };
  const program = await shared.program('cross-entropy', () => pretrainGraph(config, shape, tokens, maxPositions));
  const outputs = await program.run({ ...inputs, ...shared.all() });
  const gradients: TensorMap = new Map();
  for (const [name, tensor] of Object.entries(outputs)) {
    if (!name.startsWith('d.')) continue;
    gradients.set(name.slice(2), { dims: [...tensor.dims], data: (await readFloats(backend, tensor)).slice() });
  }
  const [loss = Number.NaN] = await readFloats(backend, pick(outputs, 'loss'));
  disposeAll([...Object.values(inputs), ...Object.values(outputs)]);
  return { loss, gradients };
}
