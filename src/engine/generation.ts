/** Batched generation: all prompts at once, on the CPU backends in a single run, on WebGPU step by step with only ids coming back. */
import { adapterInput, generateGraph, promptGraph, stepGraph, type DecodeShape } from '../qwen/decode-graphs.ts';
import { disposeAll, pick, readFloats, type TensorRecord } from '../runtime/backend.ts';
import { PlaygroundError } from '../runtime/errors.ts';
import { loraKey } from './adapter.ts';
import type { Base } from './base.ts';
import { microBatches, pad, type PaddedRows } from './batch.ts';
import type { AdapterUse } from './forward.ts';
import { samplingInputs, samplingSteps, uniforms } from './sampling-inputs.ts';
import type { GenerateOptions, Generation } from './types.ts';

/** Sampled ids and log-probs, step by step, each row of [batch]. */
interface Steps {
  tokens: Int32Array[];
  logprobs: Float32Array[];
}

/** Throws a PlaygroundError (`prompt-too-long`) when prompt and answer exceed the model's positions. */
export async function generate(
  base: Base,
  adapter: AdapterUse | null,
  prompts: readonly Int32Array[],
  options: GenerateOptions,
): Promise<Generation[]> {
  const longest = Math.max(0, ...prompts.map((prompt) => prompt.length));
  const generations: Generation[] = [];
  for (const part of microBatches(prompts, longest + options.maxNewTokens, base.limits)) {
    const first = generations.length;
    const steps = await generatePart(base, adapter, part, {
      ...options,
      uniform: (row, position) => options.uniform(first + row, position),
    });
    part.forEach((_, row) => generations.push(cut(steps, row, options.stopIds)));
  }
  return generations;
}

async function generatePart(
  base: Base,
  adapter: AdapterUse | null,
  prompts: readonly Int32Array[],
  options: GenerateOptions,
): Promise<Steps> {
  const padded = pad(prompts);
  const { maxNewTokens, stopIds } = options;
  if (padded.length + maxNewTokens > base.positions) {
    throw new PlaygroundError(
      'prompt-too-long',
      `A prompt of ${padded.length} tokens and ${maxNewTokens} new ones exceed the model's ${base.positions} positions.`,
      'Shorten the profiles, or lower the number of new tokens.',
    );
  }
  const shape: DecodeShape = {
    batch: padded.rows,
    promptLength: padded.length,
    maxNewTokens,
    positions: base.positions,
    sampling: samplingSteps(options),
    stopIds,
  };
  const inputs: TensorRecord = {
    ids: base.backend.upload(padded.ids, [padded.ids.length]),
    lengths: base.backend.upload(Int32Array.from(prompts, (prompt) => prompt.length), [padded.rows]),
    ...samplingInputs(base, options),
  };
  const weights = { ...base.all(), ...adapterInputs(base, adapter) };
  const steps =
    base.backend.kind === 'webgpu'
      ? await stepByStep(base, adapter, shape, weights, inputs, prompts, options)
      : await inOneRun(base, adapter, shape, weights, inputs, padded, options);
  disposeAll(Object.values(inputs));
  return steps;
}

async function inOneRun(
  base: Base,
  adapter: AdapterUse | null,
  shape: DecodeShape,
  weights: TensorRecord,
  inputs: TensorRecord,
  padded: PaddedRows,
  options: GenerateOptions,
): Promise<Steps> {
  const rows = [...Array(padded.rows).keys()];
  const draws = base.backend.upload(uniforms(options, rows, 0, shape.maxNewTokens), [shape.maxNewTokens, padded.rows]);
  const program = await base.program(programKey('generate', adapter, shape), () =>
    generateGraph(base.config, adapter?.spec ?? null, shape),
  );
  const outputs = await program.run({ ...weights, ...inputs, uniforms: draws });
  draws.dispose();
  const steps: Steps = { tokens: [], logprobs: [] };
  const append = async (tokenName: string, logprobName: string) => {
    const tokens = (await base.backend.read(pick(outputs, tokenName))) as Int32Array;
    const logprobs = await readFloats(base.backend, pick(outputs, logprobName));
    for (let start = 0; start < tokens.length; start += padded.rows) {
      steps.tokens.push(tokens.slice(start, start + padded.rows));
      steps.logprobs.push(logprobs.slice(start, start + padded.rows));
    }
  };
  await append('first_token', 'first_logprob');
  if (shape.maxNewTokens > 1) await append('tokens', 'logprobs');
  disposeAll(Object.values(outputs));
  return steps;
}

async function stepByStep(
  base: Base,
  adapter: AdapterUse | null,
  shape: DecodeShape,
  weights: TensorRecord,
  inputs: TensorRecord,
  prompts: readonly Int32Array[],
  options: GenerateOptions,
): Promise<Steps> {
  const { backend, config } = base;
  const spec = adapter?.spec ?? null;
  const { batch } = shape;
  const rows = [...Array(batch).keys()];
  const uniform = (step: number) => backend.upload(uniforms(options, rows, step, 1), [batch, 1]);
  const { ids, lengths, ...sampling } = inputs;
  const finished = new Uint8Array(batch);
  const steps: Steps = { tokens: [], logprobs: [] };
  const promptProgram = await base.program(programKey('prompt', adapter, shape), () => promptGraph(config, spec, shape));
  const stepProgram = await base.program(programKey('step', adapter, shape), () => stepGraph(config, spec, shape));
  const firstUniform = uniform(0);
  let outputs = await promptProgram.run({ ...weights, ...sampling, ...(ids && lengths ? { ids, lengths } : {}), uniform: firstUniform });
  firstUniform.dispose();
  let token = pick(outputs, 'token');
  for (let step = 0; ; step++) {
    const tokens = (await backend.read(token)) as Int32Array;
    steps.tokens.push(tokens.slice());
    steps.logprobs.push((await readFloats(backend, pick(outputs, 'logprob'))).slice());
    tokens.forEach((id, row) => (finished[row] ||= +options.stopIds.includes(id)));
    if (step + 1 === shape.maxNewTokens || finished.every(Boolean)) break;
    const small: TensorRecord = {
      last_index: backend.upload(Int32Array.from(prompts, (prompt) => prompt.length + step), [batch]),
      total: backend.upload(Int32Array.of(shape.promptLength + step + 1), []),
      uniform: uniform(step + 1),
    };
    const pasts = Object.fromEntries(
      Array.from({ length: 2 * config.layers }, (_, i) => [`past.${i}`, pick(outputs, `present.${i}`)]),
    );
    const next: TensorRecord = await stepProgram.run({ ...weights, ...sampling, ...small, ...pasts, token });
    disposeAll(Object.values(small));
    disposeAll(Object.values(outputs));
    outputs = next;
    token = pick(outputs, 'next_token');
  }
  disposeAll(Object.values(outputs));
  return steps;
}

function adapterInputs(base: Base, adapter: AdapterUse | null): TensorRecord {
  const inputs: TensorRecord = {};
  if (!adapter) return inputs;
  for (let layer = 0; layer < base.config.layers; layer++) {
    for (const [name, tensor] of Object.entries(adapter.parameters.group(layer))) inputs[adapterInput(layer, name)] = tensor;
  }
  return inputs;
}

function programKey(kind: string, adapter: AdapterUse | null, shape: DecodeShape): string {
  return `${kind} ${loraKey(adapter?.spec ?? null)} ${JSON.stringify(shape)}`;
}

/** One row's tokens up to its first stop token. The end comes from generation: a padding id may equal a stop id. */
function cut(steps: Steps, row: number, stopIds: readonly number[]): Generation {
  const tokens: number[] = [];
  const logprobs: number[] = [];
  for (let step = 0; step < steps.tokens.length; step++) {
    const token = steps.tokens[step]?.[row] ?? 0;
    tokens.push(token);
    logprobs.push(steps.logprobs[step]?.[row] ?? 0);
    if (stopIds.includes(token)) return { tokens: Int32Array.from(tokens), logprobs: Float32Array.from(logprobs), truncated: false };
  }
  return { tokens: Int32Array.from(tokens), logprobs: Float32Array.from(logprobs), truncated: true };
}
