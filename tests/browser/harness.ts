/** A page without an app: an experiment on a backend of choice, and everything it computed, held and survived. */
import { TrainerHost } from '../../src/app/trainer/host.ts';
import { openHttp } from '../../src/checkpoint/http-source.ts';
import { openRepository } from '../../src/checkpoint/repository.ts';
import { loadLanguageModel } from '../../src/engine/model.ts';
import { precisionOn } from '../../src/engine/precision.ts';
import type { GenerateOptions, TensorMap, Trainable, TokenSequence } from '../../src/engine/types.ts';
import { presetByName } from '../../src/experiment/presets.ts';
import { openSession } from '../../src/experiment/session.ts';
import type { Experiment } from '../../src/experiment/schema.ts';
import type { EpisodeRecord, MetricRow } from '../../src/marft/records.ts';
import { loraSchema } from '../../src/marft/settings.ts';
import type { Precision } from '../../src/qwen/config.ts';
import { uniform } from '../../src/random/random.ts';
import { PlaygroundError } from '../../src/runtime/errors.ts';
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

/** Tensors that are alive after an iteration. */
export interface Held {
  tensors: number;
  bytes: number;
}

export interface SurvivalReport {
  /** What was wrong at the end; empty where nothing was. */
  message: string;
  metrics: MetricRow[];
  /** What was told while a device was replaced. */
  told: string[];
  devices: number;
}

export interface ThreadsReport {
  isolated: boolean;
  /** Threads that a large model gets here, and what the badge then says. */
  threads: number;
  label: string;
  metrics: MetricRow;
}

export interface DecodingReport {
  ids: number[][];
  logprobs: number[][];
  /** What was heard of each row while it came. */
  heard: number[][];
  /** Tensors on the device before, after it, and after one that was stopped. */
  tensors: [number, number, number];
  stopped: string;
  /** What was thrown when the device was destroyed in the middle; empty where there is none. */
  lost: string;
  ms: number;
}

export interface Harness {
  /** Generates with batches that shrink as soon as they can, or never. */
  decode(kind: 'wasm' | 'webgpu', shrink: boolean): Promise<DecodingReport>;
  /** Throws what loading throws where the backend has no such precision. */
  hold(kind: 'wasm' | 'webgpu', precision: Precision): Promise<PrecisionReport>;
  /** One iteration on WASM with as many threads as a large model would get. */
  onThreads(experiment: Experiment): Promise<ThreadsReport>;
  /** Runs an experiment on WebGPU and counts what is alive after each of its iterations. */
  holdings(experiment: Experiment): Promise<{ held: Held[]; metrics: MetricRow[] }>;
  /** Trains as the page does, and destroys the device in the middle of the given iteration, once. */
  loseDevice(experiment: Experiment, iteration: number): Promise<SurvivalReport>;
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

const ASSETS = new URL('ort/', ROOT).href;
const MODELS = new URL('models/', ROOT).href;

window.harness = {
  async decode(kind, shrink) {
    const devices: GPUDevice[] = [];
    const { requestDevice } = GPUAdapter.prototype;
    GPUAdapter.prototype.requestDevice = async function (descriptor) {
      const device = await requestDevice.call(this, descriptor);
      devices.push(device);
      return device;
    };
    const { backend } = await createWebBackend({ prefer: kind, assets: ASSETS });
    GPUAdapter.prototype.requestDevice = requestDevice;
    const model = await loadLanguageModel(backend, await openRepository(openHttp(new URL('marft-micro/', MODELS).href)));
    Object.assign(model.shared, { parameters: shrink ? Infinity : 0 });
    const prompts = [[5, 9, 30], [17, 4], [8, 8, 8, 8], [40, 2], [61], [7, 19]].map((ids) => Int32Array.from([418, ...ids]));
    const heard: number[][] = prompts.map(() => []);
    const options: GenerateOptions = {
      maxNewTokens: 14,
      temperature: 1.5,
      greedy: false,
      uniform: (row, position) => uniform(9, row, position),
      stopIds: Array.from({ length: 50 }, (_, i) => 8 * i),
      bannedIds: [],
      onTokens: (row, tokens) => heard[row]?.push(...tokens),
    };
    const before = backend.liveTensors();
    const start = performance.now();
    const generations = await model.base.generate(prompts, options);
    const ms = performance.now() - start;
    const after = backend.liveTensors();
    const stop = new AbortController();
    const code = (error: unknown): string => (error instanceof PlaygroundError ? error.code : String(error));
    const interrupted = { ...options, stopIds: [], onTokens: () => stop.abort(), signal: stop.signal };
    const stopped = await model.base.generate(prompts, interrupted).then(() => '', code);
    const afterwards = backend.liveTensors();
    const broken = { ...options, stopIds: [], onTokens: () => devices[0]?.destroy() };
    const lost = await model.base.generate(prompts, broken).then(() => '', code);
    return {
      ids: generations.map(({ tokens }) => [...tokens]),
      logprobs: generations.map(({ logprobs }) => [...logprobs]),
      heard,
      tensors: [before, after, afterwards],
      stopped,
      lost,
      ms,
    };
  },

  async hold(kind, setting) {
    const { backend } = await createWebBackend({ prefer: kind, assets: ASSETS });
    const precision = precisionOn(backend, setting);
    const model = await loadLanguageModel(backend, await openRepository(openHttp(new URL('marft-micro/', MODELS).href)), { precision });
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

  async onThreads(experiment) {
    const { backend, info } = await createWebBackend({ prefer: 'wasm', assets: ASSETS });
    const threads = backend.suit(Infinity);
    backend.suit = () => threads;
    const source = openHttp(new URL(`${experiment.model}/`, MODELS).href);
    let label = '';
    const session = await openSession(experiment, { backend, info, source }, (event) => {
      if (event.type === 'ready') ({ label } = event.backend);
    });
    const metrics = await session.trainer.step();
    session.dispose();
    return { isolated: crossOriginIsolated, threads, label, metrics };
  },

  async holdings(experiment) {
    const { backend, info } = await createWebBackend({ prefer: 'webgpu', assets: ASSETS });
    const source = openHttp(new URL(`${experiment.model}/`, MODELS).href);
    const metrics: MetricRow[] = [];
    const session = await openSession(experiment, { backend, info, source }, (event) => {
      if (event.type === 'iteration') metrics.push(event.metrics);
    });
    const held: Held[] = [];
    await session.trainer.run(() => {
      held.push({ tensors: backend.liveTensors(), bytes: backend.liveBytes() });
      return Promise.resolve();
    });
    session.dispose();
    held.push({ tensors: backend.liveTensors(), bytes: backend.liveBytes() });
    return { held, metrics };
  },

  async loseDevice(experiment, iteration) {
    const devices: GPUDevice[] = [];
    const { requestDevice } = GPUAdapter.prototype;
    GPUAdapter.prototype.requestDevice = async function (descriptor) {
      const device = await requestDevice.call(this, descriptor);
      devices.push(device);
      return device;
    };
    const host = new TrainerHost();
    await host.prepare('webgpu', { ort: ASSETS, models: MODELS });
    const metrics: MetricRow[] = [];
    const told: string[] = [];
    const opened = await host.open(experiment, { kind: 'named' }, { memoryLimit: Infinity, token: null }, (event) => {
      if (event.type === 'loading' && metrics.length > 0) told.push(event.message);
      if (event.type === 'iteration') metrics.push(event.metrics);
      if (event.type === 'stage' && event.stage === 'score' && event.iteration === iteration && devices.length === 1) devices[0]?.destroy();
    });
    const reply = opened.ok ? await host.train() : opened;
    await host.dispose();
    GPUAdapter.prototype.requestDevice = requestDevice;
    return { message: reply.ok ? '' : reply.trouble.message, metrics, told, devices: devices.length };
  },

  async iterate(kind, preset, seed) {
    const { backend, info } = await createWebBackend({ prefer: kind, assets: ASSETS });
    const experiment = { ...presetByName(preset), seed };
    const source = openHttp(new URL(`${experiment.model}/`, MODELS).href);
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
