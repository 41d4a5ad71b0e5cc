/** A page without an app: one iteration of an experiment on a backend of choice, and everything it computed. */
import { openHttp } from '../../src/checkpoint/http-source.ts';
import { openRepository } from '../../src/checkpoint/repository.ts';
import { loadLanguageModel } from '../../src/engine/model.ts';
import { precisionOn } from '../../src/engine/precision.ts';
import type { TensorMap, Trainable, TokenSequence } from '../../src/engine/types.ts';
import { presetByName } from '../../src/experiment/presets.ts';
import { openSession } from '../../src/experiment/session.ts';
import type { EpisodeRecord, MetricRow } from '../../src/marft/records.ts';
import { loraSchema } from '../../src/marft/settings.ts';
import type { Precision } from '../../src/qwen/config.ts';
import { createWebBackend } from '../../src/runtime/web.ts';

export interface IterationReport {
  backend: string;
  /** Of an iteration with every loss in it. */
  metrics: MetricRow;
  episodes: EpisodeRecord[];
  /** Log-probs of fixed sequences after the iteration, `[agents][tokens]`. */
  logprobs: number[][];
  /** Values of a fresh value head on fixed transcripts. */
  values: number[];
  /** Gradient of a fixed loss by each agent's adapter and by the value head, by tensor. */
  gradients: Record<string, Record<string, number[]>>;
}

/** What a policy on a small base does with fixed sequences. */
export interface PrecisionReport {
  logprobs: number[];
  entropies: number[];
  /** By tensor of the adapter. */
  gradients: Record<string, number[]>;
  /** Greedily generated. */
  ids: number[];
}

export interface Harness {
  /** Throws what loading throws where the backend has no such precision. */
  hold(kind: 'wasm' | 'webgpu', precision: Precision): Promise<PrecisionReport>;
  iterate(kind: 'wasm' | 'webgpu', preset: string, seed: number): Promise<IterationReport>;
}

declare global {
  interface Window {
    harness: Harness;
  }
}

/** No clipping and a zero rate: the step then only turns the gradient into AdamW's first moment, which can be read. */
const READ_GRADIENT = { learningRate: 0, weightDecay: 0, maxGradNorm: 1e9 };

/** The built page's folder, seen from this file's place below it. */
const ROOT = new URL('../../', document.baseURI);

window.harness = {
  async hold(kind, setting) {
    const { backend } = await createWebBackend({ prefer: kind, assets: new URL('ort/', ROOT).href });
    const precision = precisionOn(backend, setting);
    const model = await loadLanguageModel(backend, await openRepository(openHttp(new URL('models/marft-micro/', ROOT).href)), { precision });
    const policy = await model.createPolicy(loraSchema.parse({ rank: 2 }), 1);
    const batch: TokenSequence[] = [[5, 9, 30], [17, 4]].map((ids) => ({ prompt: Int32Array.from([418, ...ids]), tokens: Int32Array.from(ids) }));
    const backward = (): Promise<void> =>
      policy.backward(batch, 1, {
        logprobs: batch.map(({ tokens }) => new Float32Array(tokens.length).fill(1)),
        entropies: batch.map(({ tokens }) => new Float32Array(tokens.length).fill(0.5)),
      });
    // B starts at zero; a step lets A have a gradient.
    await backward();
    await policy.step({ learningRate: 0.02, weightDecay: 0, maxGradNorm: 1 });
    await backward();
    const gradients = Object.fromEntries([...(await policy.gradients())].map(([name, { data }]) => [name, [...data]]));
    const scores = await policy.score(batch, 1);
    const options = { maxNewTokens: 3, temperature: 1, greedy: true, uniform: () => 0, stopIds: [], bannedIds: [] };
    const generated = await policy.generate(batch.map(({ prompt }) => prompt), options);
    policy.dispose();
    model.dispose();
    const flat = (rows: readonly Float32Array[]): number[] => rows.flatMap((row) => [...row]);
    return { gradients, logprobs: flat(scores.logprobs), entropies: flat(scores.entropies), ids: generated.flatMap(({ tokens }) => [...tokens]) };
  },

  async iterate(kind, preset, seed) {
    const assets = new URL('ort/', ROOT).href;
    const { backend, info } = await createWebBackend({ prefer: kind, assets });
    const experiment = { ...presetByName(preset), seed };
    const source = openHttp(new URL(`models/${experiment.model}/`, ROOT).href);
    let episodes: EpisodeRecord[] = [];
    const session = await openSession(experiment, { backend, info, source }, (event) => {
      if (event.type === 'iteration') episodes = event.episodes;
    });
    const { trainer, tokenizer } = session;
    const metrics = await trainer.step();

    const batch: TokenSequence[] = ['12', '7'].map((answer) => ({
      prompt: tokenizer.encode('3+4=?'),
      tokens: tokenizer.encode(answer),
    }));
    const logprobs: number[][] = [];
    const gradients: IterationReport['gradients'] = {};
    for (const [agent, policy] of trainer.policies.entries()) {
      const scores = await policy.score(batch, 1);
      logprobs.push(scores.logprobs.flatMap((numbers) => [...numbers]));
      gradients[`agent ${agent}`] = await gradientOf(policy, () =>
        policy.backward(batch, 1, {
          logprobs: batch.map(({ tokens }) => new Float32Array(tokens.length).fill(1)),
          entropies: batch.map(({ tokens }) => new Float32Array(tokens.length).fill(0.5)),
        }),
      );
    }
    const head = await session.model.createValueFunction(loraSchema.parse({ rank: 2 }), seed);
    const valued = batch.map(({ prompt }) => ({ ids: prompt, positions: Int32Array.of(0, prompt.length - 1) }));
    const cotangents = valued.map(() => Float32Array.of(1, -0.5));
    gradients['value head'] = await gradientOf(head, () => head.backward(valued, cotangents));
    const values = (await head.values(valued)).flatMap((numbers) => [...numbers]);
    head.dispose();
    session.dispose();
    return { backend: info.label, metrics, episodes, logprobs, values, gradients };
  },
};

/** First moments move by 1 − β₁ of the way to the gradient: m′ = β₁·m + (1 − β₁)·g. */
async function gradientOf(trained: Trainable, accumulate: () => Promise<void>): Promise<Record<string, number[]>> {
  const beta1 = 0.9;
  const before = firstMoments(await trained.state());
  await accumulate();
  await trained.step(READ_GRADIENT);
  const after = firstMoments(await trained.state());
  return Object.fromEntries(
    Object.entries(after).map(([name, moment]) => {
      const old = before[name] ?? [];
      return [name, moment.map((value, k) => (value - beta1 * (old[k] ?? 0)) / (1 - beta1))];
    }),
  );
}

function firstMoments(state: TensorMap): Record<string, number[]> {
  const moments = [...state].filter(([name]) => name.startsWith('adam.m.'));
  return Object.fromEntries(moments.map(([name, { data }]) => [name.slice('adam.m.'.length), [...data]]));
}
