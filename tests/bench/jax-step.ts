/**
 * One training step of LoRA on a small Qwen2 in jax-js, as a user of that library would write it: forward, PPO's loss, backward, clipped AdamW, all
 * under one `jit`. Every function owns its arguments and gives `.ref` away where it needs them again, as jax-js asks.
 */
import { jit, nn, numpy as np, tree, valueAndGrad } from '@jax-js/jax';
import type { TensorMap, TokenSequence } from '../../src/engine/types.ts';
import type { QwenConfig } from '../../src/qwen/config.ts';
import type { LoraSpec } from '../../src/qwen/lora.ts';
import { EMBEDDING, FINAL_NORM, PROJECTION_PATH, blockShapes, blockTensor, type Projection } from '../../src/qwen/parameters.ts';
import { rotaryTables } from '../../src/qwen/rope.ts';

type Arrays = Record<string, np.Array>;
/** Adapter, both moments. */
type Trained = { p: Arrays; m: Arrays; v: Arrays };
/** `[tokens]` each, flat; `rows` int32 says which row of the hidden state predicts each token. */
type Batch = { ids: np.Array; rows: np.Array; targets: np.Array; old: np.Array; advantages: np.Array };

type Step = (trained: Trained, base: Arrays, data: Batch, bias1: np.Array, bias2: np.Array) => [np.Array, Trained];

export interface JaxStepOptions {
  config: QwenConfig;
  lora: LoraSpec;
  batch: number;
  length: number;
  temperature: number;
  clip: number;
  learningRate: number;
  maxGradNorm: number;
}

const BETA1 = 0.9;
const BETA2 = 0.999;
const EPSILON = 1e-8;
const MASKED = -3e4;

/** x · wᵀ for w [out, in]. */
const linear = (x: np.Array, w: np.Array): np.Array => np.matmul(x, np.transpose(w));

function rmsNorm(x: np.Array, weight: np.Array, epsilon: number): np.Array {
  const square = np.mean(np.square(x.ref), -1, { keepdims: true });
  return x.div(np.sqrt(square.add(epsilon))).mul(weight);
}

function lossOf({ config, lora, batch, length, temperature, clip }: JaxStepOptions) {
  const { heads, kvHeads, headDim, hiddenSize, layers, rmsNormEps } = config;
  const group = heads / kvHeads;
  const half = headDim / 2;

  return (adapter: Arrays, base: Arrays, data: Batch): np.Array => {
    const get = (from: Arrays, name: string): np.Array => {
      const array = from[name];
      if (!array) throw new Error(`there is no ${name}`);
      return array.ref;
    };
    const project = (x: np.Array, layer: number, target: Projection): np.Array => {
      const path = blockTensor(layer, PROJECTION_PATH[target]);
      const plain = linear(x.ref, get(base, `${path}.weight`));
      const biased = base[`${path}.bias`] ? plain.add(get(base, `${path}.bias`)) : plain;
      const low = linear(x, get(adapter, `${path}.lora_A.weight`));
      return biased.add(linear(low, get(adapter, `${path}.lora_B.weight`)).mul(lora.alpha / lora.rank));
    };
    const split = (x: np.Array, count: number): np.Array => np.transpose(x.reshape([batch, length, count, headDim]), [0, 2, 1, 3]);
    const rotate = (x: np.Array): np.Array => {
      const first = x.ref.slice([], [], [], [0, half]);
      const second = x.slice([], [], [], [half, headDim]);
      const turned = [
        first.ref.mul(get(base, 'cos')).sub(second.ref.mul(get(base, 'sin'))),
        second.mul(get(base, 'cos')).add(first.mul(get(base, 'sin'))),
      ];
      return np.concatenate(turned, 3);
    };
    const attention = (x: np.Array, layer: number): np.Array => {
      const q = rotate(split(project(x.ref, layer, 'q_proj'), heads)).mul(headDim ** -0.5);
      const k = rotate(split(project(x.ref, layer, 'k_proj'), kvHeads));
      const v = split(project(x, layer, 'v_proj'), kvHeads);
      const grouped = q.reshape([batch, kvHeads, group * length, headDim]);
      const scores = np.matmul(grouped, np.transpose(k, [0, 1, 3, 2])).reshape([batch, heads, length, length]);
      const weights = nn.softmax(scores.add(get(base, 'mask')), -1).reshape([batch, kvHeads, group * length, length]);
      const mixed = np.matmul(weights, v).reshape([batch, heads, length, headDim]);
      return project(np.transpose(mixed, [0, 2, 1, 3]).reshape([batch * length, heads * headDim]), layer, 'o_proj');
    };

    let x = np.take(get(base, EMBEDDING), data.ids, 0).reshape([batch * length, hiddenSize]);
    for (let layer = 0; layer < layers; layer++) {
      const normed = rmsNorm(x.ref, get(base, blockTensor(layer, 'input_layernorm.weight')), rmsNormEps);
      x = x.add(attention(normed, layer));
      const inner = rmsNorm(x.ref, get(base, blockTensor(layer, 'post_attention_layernorm.weight')), rmsNormEps);
      const gate = nn.silu(project(inner.ref, layer, 'gate_proj'));
      x = x.add(project(gate.mul(project(inner, layer, 'up_proj')), layer, 'down_proj'));
    }
    const hidden = rmsNorm(np.take(x, data.rows, 0), get(base, FINAL_NORM), rmsNormEps);
    const logits = linear(hidden, get(base, EMBEDDING)).mul(1 / temperature);
    const logp = np.sum(nn.logSoftmax(logits, -1).mul(nn.oneHot(data.targets, config.vocabSize)), -1);
    const ratio = np.exp(logp.sub(data.old));
    const clipped = np.clip(ratio.ref, 1 - clip, 1 + clip).mul(data.advantages.ref);
    const surrogate = np.minimum(ratio.mul(data.advantages), clipped);
    tree.dispose(adapter);
    tree.dispose(base);
    return np.mean(surrogate).neg();
  };
}

/** One clipped AdamW step without weight decay; `bias1` and `bias2` are 1/(1 − βᵗ). */
function adamw({ learningRate, maxGradNorm }: JaxStepOptions, { p, m, v }: Trained, gradient: Arrays, bias1: np.Array, bias2: np.Array): Trained {
  const squares = Object.values(gradient).map((g) => np.sum(np.square(g.ref)));
  const norm = np.sqrt(squares.reduce((a, b) => a.add(b)));
  const scale = np.minimum(np.array(1), np.array(maxGradNorm).div(norm.add(1e-6)));
  const next: Trained = { p: {}, m: {}, v: {} };
  for (const [name, raw] of Object.entries(gradient)) {
    const [parameter, first, second] = [p[name], m[name], v[name]];
    if (!parameter || !first || !second) throw new Error(`there is no ${name}`);
    const g = raw.mul(scale.ref);
    const nextM = first.mul(BETA1).add(g.ref.mul(1 - BETA1));
    const nextV = second.mul(BETA2).add(np.square(g).mul(1 - BETA2));
    const step = nextM.ref.mul(bias1.ref).div(np.sqrt(nextV.ref.mul(bias2.ref)).add(EPSILON));
    next.p[name] = parameter.sub(step.mul(learningRate));
    next.m[name] = nextM;
    next.v[name] = nextV;
  }
  tree.dispose([scale, bias1, bias2]);
  return next;
}

/** Tensors by Hugging Face name, and the adapter's by PEFT's without its prefix. */
export interface JaxInputs {
  base: ReadonlyMap<string, { dims: readonly number[]; data: Float32Array }>;
  adapter: TensorMap;
  sequences: readonly TokenSequence[];
  old: readonly Float32Array[];
  advantages: readonly Float32Array[];
}

export class JaxTrainer {
  readonly #step: Step;
  readonly #base: Arrays;
  readonly #data: Batch;
  #trained: Trained;
  #steps = 0;

  constructor(options: JaxStepOptions, { base, adapter, sequences, old, advantages }: JaxInputs) {
    const { config, batch, length } = options;
    const array = ({ dims, data }: { dims: readonly number[]; data: Float32Array }): np.Array => np.array(data).reshape([...dims]);
    const { cos, sin } = rotaryTables(config, length);
    const mask = Float32Array.from({ length: length * length }, (_, i) => (i % length > Math.floor(i / length) ? MASKED : 0));
    this.#base = {
      ...Object.fromEntries(namesOf(config).map((name) => [name, array(base.get(name) ?? { dims: [0], data: new Float32Array(0) })])),
      cos: array({ dims: [length, config.headDim / 2], data: cos }),
      sin: array({ dims: [length, config.headDim / 2], data: sin }),
      mask: array({ dims: [length, length], data: mask }),
    };
    const all = (value: (tensor: { dims: number[]; data: Float32Array }) => Float32Array): Arrays =>
      Object.fromEntries([...adapter].map(([name, tensor]) => [name, array({ dims: tensor.dims, data: value(tensor) })]));
    this.#trained = { p: all(({ data }) => data), m: all(({ data }) => new Float32Array(data.length)), v: all(({ data }) => new Float32Array(data.length)) };
    const int32 = (numbers: readonly number[]): np.Array => np.array(Int32Array.from(numbers));
    const flat = (rows: readonly Float32Array[]): np.Array => np.array(Float32Array.from(rows.flatMap((row) => [...row])));
    this.#data = {
      ids: int32(sequences.flatMap(({ prompt, tokens }) => [...prompt, ...tokens])),
      rows: int32(sequences.flatMap(({ prompt, tokens }, row) => [...tokens].map((_, t) => row * length + prompt.length + t - 1))),
      targets: int32(sequences.flatMap(({ tokens }) => [...tokens])),
      old: flat(old),
      advantages: flat(advantages),
    };
    if (sequences.length !== batch) throw new Error('the batch is of another size');
    const lossAndGradient = valueAndGrad(lossOf(options));
    this.#step = jit((trained: Trained, weights: Arrays, data: Batch, bias1: np.Array, bias2: np.Array): [np.Array, Trained] => {
      const [loss, gradient] = lossAndGradient(tree.ref(trained.p) as Arrays, weights, data) as [np.Array, Arrays];
      return [loss, adamw(options, trained, gradient, bias1, bias2)];
    }) as Step;
  }

  /** Takes a step and returns the loss before it. */
  async step(): Promise<number> {
    this.#steps += 1;
    const bias = (beta: number): np.Array => np.array(1 / (1 - beta ** this.#steps));
    const [loss, next] = this.#step(this.#trained, tree.ref(this.#base) as Arrays, tree.ref(this.#data) as Batch, bias(BETA1), bias(BETA2));
    this.#trained = next;
    await Promise.all(Object.values(next.p).map((p) => p.blockUntilReady()));
    return (await loss.data())[0] ?? Number.NaN;
  }

  /** The adapter as it is. */
  async parameters(): Promise<Map<string, Float32Array>> {
    const entries = Object.entries(this.#trained.p).map(async ([name, p]) => [name, (await p.ref.data()) as Float32Array] as const);
    return new Map(await Promise.all(entries));
  }
}

function namesOf(config: QwenConfig): string[] {
  const blocks = Array.from({ length: config.layers }, (_, layer) => Object.keys(blockShapes(config)).map((name) => blockTensor(layer, name)));
  return [EMBEDDING, FINAL_NORM, ...blocks.flat()];
}
