import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/engine/limits.ts';
import type { LoadOptions } from '../../../src/engine/load-base.ts';
import { loadLanguageModel, type QwenModel } from '../../../src/engine/model.ts';
import { describeMemory, largestTensor, planMemory, predictMemory, type MemoryRequest, type MemoryTable } from '../../../src/engine/planner.ts';
import type { TokenSequence } from '../../../src/engine/types.ts';
import { loraSchema } from '../../../src/marft/settings.ts';
import { GraphBuilder, sizeOf } from '../../../src/onnx/graph.ts';
import { add } from '../../../src/onnx/ops/add.ts';
import { exp } from '../../../src/onnx/ops/exp.ts';
import { reshape } from '../../../src/onnx/ops/reshape.ts';
import { largestBytes, peakBytes } from '../../../src/onnx/peak-memory.ts';
import { PRECISIONS, parseQwenConfig, type Precision } from '../../../src/qwen/config.ts';
import { modelShapes } from '../../../src/qwen/parameters.ts';
import type { Backend, DeviceLimits } from '../../../src/runtime/backend.ts';
import { createNodeBackend } from '../../../src/runtime/node.ts';

describe('the peak of a graph', () => {
  it('counts what is alive together, a view not twice, and nothing after its last use', () => {
    const g = new GraphBuilder('chain');
    const x = g.input('x', 'float32', [10]);
    const a = exp(g, x); // 40 bytes
    const b = exp(g, reshape(g, a, [2, 5])); // 80 while a is read
    const c = exp(g, b); // a is gone
    g.output('y', add(g, c, b)); // b, c and the sum
    expect(peakBytes(g.finish())).toBe(120);
  });
});

const SHAPE = { num_attention_heads: 4, num_key_value_heads: 2, max_position_embeddings: 256, head_dim: 16 };
const CONFIGS: Record<string, object> = {
  'deep, tied': { model_type: 'qwen2', hidden_size: 64, num_hidden_layers: 6, intermediate_size: 96, vocab_size: 80, tie_word_embeddings: true, ...SHAPE },
  'a large vocabulary': { model_type: 'qwen3', hidden_size: 32, num_hidden_layers: 2, intermediate_size: 48, vocab_size: 3000, tie_word_embeddings: false, ...SHAPE },
  'a long cache': { model_type: 'qwen2', hidden_size: 32, num_hidden_layers: 8, intermediate_size: 32, vocab_size: 64, tie_word_embeddings: true, ...SHAPE, num_key_value_heads: 4, head_dim: 64 },
};
const WITHOUT_LIMITS: DeviceLimits = { total: Infinity, tensor: Infinity };
const LORA = loraSchema.parse({ rank: 4 });

function requestOf(json: object, rows: number, promptTokens = 40, newTokens = 24, precision?: Precision): MemoryRequest {
  return { config: parseQwenConfig(json, precision), rows, promptTokens, newTokens, transcriptTokens: 0, adapters: [LORA, LORA], program: 0 };
}

/** As on a GPU, where decoding goes step by step and its cache lies in tensors that can be counted. */
function steppingBackend(): Backend {
  const backend = createNodeBackend();
  return {
    kind: 'webgpu',
    halfPrecision: true,
    compile: (model, name) => backend.compile(model, name),
    lost: backend.lost,
    limits: backend.limits,
    suit: (largestMatrix) => backend.suit(largestMatrix),
    upload: (data, dims) => backend.upload(data, dims),
    read: (tensor) => backend.read(tensor),
    check: () => backend.check(),
    liveBytes: () => backend.liveBytes(),
    liveTensors: () => backend.liveTensors(),
  };
}

/** Loads a model of zeros and counts, at every run, the tensors that are alive and what the graph needs beside them. */
async function countedModel(json: object, { limits, precision = 'f32' }: LoadOptions = {}): Promise<{ model: QwenModel; peak: () => number; largest: () => number }> {
  const backend = steppingBackend();
  const shapes = modelShapes(parseQwenConfig(json));
  const readTensor = (name: string) => Promise.resolve({ dims: shapes[name] ?? [], data: new Float32Array(sizeOf(shapes[name] ?? [])).fill(0.01) });
  const model = await loadLanguageModel(backend, { config: json, readTensor }, { limits, precision });
  let peak = 0;
  let largest = 0;
  const base = model.shared;
  const program = base.program.bind(base);
  base.program = async (key, build) => {
    const graph = build();
    const extra = peakBytes(graph);
    largest = Math.max(largest, largestBytes(graph));
    const compiled = await program(key, build);
    return {
      ...compiled,
      run: (inputs) => {
        peak = Math.max(peak, backend.liveBytes() + extra);
        return compiled.run(inputs);
      },
    };
  };
  return { model, peak: () => peak, largest: () => largest };
}

/** One agent plays and learns while another has its adapter and gradient on the device as well. */
async function iterate(model: QwenModel, { rows, promptTokens, newTokens }: MemoryRequest): Promise<void> {
  const prompts = Array.from({ length: rows }, () => new Int32Array(promptTokens).fill(3));
  const batch: TokenSequence[] = prompts.map((prompt) => ({ prompt, tokens: new Int32Array(newTokens).fill(5) }));
  const ones = batch.map(() => new Float32Array(newTokens).fill(1));
  const policies = [await model.createPolicy(LORA, 1), await model.createPolicy(LORA, 2)];
  for (const policy of policies) {
    await policy.generate(prompts, { maxNewTokens: newTokens, temperature: 1, greedy: false, uniform: () => 0.5, stopIds: [], bannedIds: [] });
    await policy.score(batch, 1);
    const pass = await policy.open(batch, 1);
    await pass.backward({ logprobs: ones, entropies: ones });
  }
  for (const policy of policies) await policy.step({ learningRate: 0, weightDecay: 0, maxGradNorm: 1 });
  for (const policy of policies) policy.dispose();
}

describe('predicted memory', () => {
  it.each<[string, [number, Precision][]]>([
    ['deep, tied', [[1, 'f32'], [12, 'f32']]],
    // Where widening the head's matrix takes most.
    ['a large vocabulary', [[1, 'f32'], [12, 'f32'], [2, 'f16'], [2, '4-bit']]],
    ['a long cache', [[1, 'f32'], [12, 'f32']]],
  ])('is within a tenth of what is measured: %s', async (name, cases) => {
    const json = CONFIGS[name] ?? {};
    const both = [DEFAULT_LIMITS, { ...DEFAULT_LIMITS, keepProducts: false }];
    for (const [rows, precision, limits] of cases.flatMap((one) => both.map((limits) => [...one, limits] as const))) {
      const request = requestOf(json, rows, 40, 24, precision);
      const { model, peak } = await countedModel(json, { precision, limits });
      await iterate(model, request);
      const predicted = predictMemory(request, limits).total;
      expect(predicted / peak()).toBeGreaterThan(0.95);
      expect(predicted / peak()).toBeLessThan(1.1);
      model.dispose();
    }
  });

  it('of what is loaded and kept is exact in every precision', async () => {
    for (const [json, precision] of Object.values(CONFIGS).flatMap((one) => PRECISIONS.map((each) => [one, each] as const))) {
      const { model } = await countedModel(json, { precision });
      const { base, adapters, moments } = predictMemory(requestOf(json, 1, 40, 24, precision), DEFAULT_LIMITS);
      expect(model.deviceBytes()).toBe(base);
      const policies = [await model.createPolicy(LORA, 1), await model.createPolicy(LORA, 2)];
      expect(model.deviceBytes()).toBe(base + adapters + moments);
      for (const policy of policies) policy.dispose();
      model.dispose();
    }
  });

  it('adds up, and grows with everything that it is made of', () => {
    const json = CONFIGS['deep, tied'] ?? {};
    const table = predictMemory(requestOf(json, 8), DEFAULT_LIMITS);
    const { total, ...lines } = table;
    expect(Object.values(lines).reduce((a, b) => a + b)).toBe(total);
    expect(describeMemory(table)).toMatch(/^base \d+\.\d \+ adapters \d+\.\d \+ moments /);
    const more: MemoryRequest[] = [requestOf(json, 16), requestOf(json, 8, 80), requestOf(json, 8, 40, 64), { ...requestOf(json, 8), transcriptTokens: 120 }, { ...requestOf(json, 8), adapters: [LORA, LORA, LORA] }];
    for (const request of more) expect(predictMemory(request, DEFAULT_LIMITS).total).toBeGreaterThan(total);
    expect(predictMemory(requestOf(json, 8, 40, 24, 'f16'), DEFAULT_LIMITS).base).toBeLessThan(0.6 * table.base);
  });
});

describe('a plan', () => {
  const json = CONFIGS['deep, tied'] ?? {};
  const whole = planMemory(requestOf(json, 12), WITHOUT_LIMITS);
  /** Bytes of the same where blocks keep nothing. */
  const recomputing = predictMemory(requestOf(json, 12), { ...DEFAULT_LIMITS, keepProducts: false }).total;

  it('without a budget is what the engine does by itself', () => {
    expect(whole.limits).toEqual(DEFAULT_LIMITS);
    expect(whole.rows).toBe(12);
  });

  it('gives up what blocks keep first of all, and rows only then', () => {
    const { limits, rows } = planMemory(requestOf(json, 12), { ...WITHOUT_LIMITS, total: whole.table.total - 1 });
    expect(limits.keepProducts).not.toBe(true);
    expect(rows).toBe(12);
    const small = planMemory(requestOf(json, 12), { ...WITHOUT_LIMITS, total: recomputing * 0.99 });
    expect(small.rows).toBeLessThan(12);
  });

  it('fits its budget, also when it is carried out, with fewer rows the smaller it is', async () => {
    let before = Infinity;
    for (const share of [0.75, 0.5]) {
      const budget = recomputing * share;
      const { limits, rows, table } = planMemory(requestOf(json, 12), { ...WITHOUT_LIMITS, total: budget });
      expect(table.total).toBeLessThanOrEqual(budget);
      expect(rows).toBeLessThanOrEqual(before);
      before = rows;
      const { model, peak } = await countedModel(json, { limits });
      await iterate(model, requestOf(json, 12));
      expect(peak()).toBeLessThanOrEqual(budget);
      model.dispose();
    }
    expect(before).toBeLessThan(12);
  });

  it('is refused with the arithmetic when not even one sequence fits', () => {
    expect(() => planMemory(requestOf(json, 12), { ...WITHOUT_LIMITS, total: 1_000_000 })).toThrow(
      /^The run needs \d+\.\d MB with one sequence at a time, base \d+\.\d \+ adapters .*, but only 1\.0 MB are allowed\.$/,
    );
  });

  it('splits what goes through at once until no tensor is larger than the device takes, and refuses what stays so', async () => {
    const request = requestOf(json, 12);
    const tensor = largestTensor(request, whole.limits) / 2;
    const { limits, rows } = planMemory(request, { ...WITHOUT_LIMITS, tensor });
    expect(rows).toBeLessThan(12);
    const { model, largest } = await countedModel(json, { limits });
    await iterate(model, request);
    expect(largest()).toBeLessThanOrEqual(tensor);
    model.dispose();

    const vocabulary = requestOf(CONFIGS['a large vocabulary'] ?? {}, 12);
    const embedding = 3000 * 32 * 4;
    expect(planMemory(vocabulary, { ...WITHOUT_LIMITS, tensor: 64 * 3000 * 4 }).rows).toBeGreaterThan(0);
    try {
      planMemory(vocabulary, { ...WITHOUT_LIMITS, tensor: embedding - 1 });
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ code: 'device-limit', message: expect.stringMatching(/^The run needs a tensor of 0\.8 MB, but this device holds at most 0\.4 MB in one\.$/) as string });
    }
  });

  /** Of Qwen2.5-0.5B and Qwen3-1.7B. */
  const QWEN = {
    '0.5B': { model_type: 'qwen2', hidden_size: 896, num_hidden_layers: 24, num_attention_heads: 14, num_key_value_heads: 2, intermediate_size: 4864, vocab_size: 151_936, tie_word_embeddings: true, max_position_embeddings: 32_768 },
    '1.7B': { model_type: 'qwen3', hidden_size: 2048, num_hidden_layers: 28, num_attention_heads: 16, num_key_value_heads: 8, head_dim: 128, intermediate_size: 6144, vocab_size: 151_936, tie_word_embeddings: true, max_position_embeddings: 40_960 },
  };

  it.each<[keyof typeof QWEN, Precision, number, number, string]>([
    ['0.5B', 'f32', 4e9, 4, '1977.2'],
    ['0.5B', 'f16', 4e9, 8, '989.3'],
    ['0.5B', '4-bit', 4e9, 8, '769.5'],
    ['1.7B', 'f32', 8e9, 1, '6884.4'],
    ['1.7B', 'f16', 8e9, 4, '3443.5'],
    ['1.7B', '4-bit', 8e9, 8, '2128.1'],
  ])('for a team of two on %s in %s fits into %d bytes, with %d sequences at once or more', (name, precision, budget, rows, base) => {
    const config = parseQwenConfig(QWEN[name], precision);
    const adapters = [loraSchema.parse({ rank: 8 }), loraSchema.parse({ rank: 8 })];
    const plan = planMemory({ config, rows: 32, promptTokens: 256, newTokens: 128, transcriptTokens: 640, adapters, program: 0 }, { ...WITHOUT_LIMITS, total: budget });
    expect(plan.table.total).toBeLessThanOrEqual(budget);
    expect(plan.rows).toBeGreaterThanOrEqual(rows);
    expect(describeMemory(plan.table)).toContain(`base ${base} + adapters`);
  });

  it('reckons a model of half a billion parameters without loading it', () => {
    const config = parseQwenConfig(QWEN['0.5B']);
    const request: MemoryRequest = { config, rows: 8, promptTokens: 128, newTokens: 64, transcriptTokens: 300, adapters: [LORA, LORA], program: 0 };
    const table: MemoryTable = planMemory(request, { ...WITHOUT_LIMITS, total: 8e9 }).table;
    // 494,032,768 parameters.
    expect(table.base).toBe(494_032_768 * 4 + 4096 * 64 * 4);
    expect(() => planMemory(request, { ...WITHOUT_LIMITS, total: 2e9 })).toThrow('base 1977.2');
  });
});
