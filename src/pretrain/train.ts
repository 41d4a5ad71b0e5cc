/** Pre-training from scratch: AdamW on the next-token loss of the corpus, skill first, bad habits after. */
import { bucket, pad, positionChunks } from '../engine/batch.ts';
import { ParameterSet } from '../engine/parameter-set.ts';
import { Programs } from '../engine/programs.ts';
import type { TensorMap } from '../engine/types.ts';
import { Random } from '../random/random.ts';
import { sizeOf } from '../onnx/graph.ts';
import type { QwenConfig } from '../qwen/config.ts';
import { modelShapes } from '../qwen/parameters.ts';
import { pretrainGraph } from '../qwen/pretrain-graph.ts';
import { rotaryTables } from '../qwen/rope.ts';
import { disposeAll, pick, readFloats, type Backend } from '../runtime/backend.ts';
import type { Phase } from './behaviour.ts';
import type { TrainingSequence } from './sequences.ts';

export interface PretrainSchedule {
  /** Steps of each phase, in order. */
  phases: readonly { phase: Phase; steps: number; learningRate: number }[];
  /** Sequences a step. */
  rows: number;
  /** A step's sequences go through in so many pieces of similar length, so that short ones are not padded to the longest; 1 unless given. */
  pieces?: number;
  /** Every phase starts with moments of its own, so that one can be done again from the weights before it. */
  freshMoments?: boolean;
  seed: number;
}

/** Initial weights are normal with this deviation; projections into the residual stream are smaller by √(2·layers). */
const INITIAL_DEVIATION = 0.06;
const MAX_GRAD_NORM = 1;
const WARM_UP_STEPS = 50;
/** Within a phase the learning rate falls to this fraction, along a cosine. */
const FINAL_FRACTION = 0.05;
/** Predicted tokens are padded to multiples of this, so that few graphs are compiled. */
const TOKEN_STEP = 256;

export interface PretrainProgress {
  step: number;
  steps: number;
  phase: Phase;
  /** Mean negative log-prob of a predicted token, in nats, smoothed. */
  loss: number;
}

export interface PretrainOptions {
  /** Weights to start from, by Hugging Face name; random ones unless given. */
  initial?: Record<string, Float32Array>;
  /** Phases before this one are taken as done; 0 unless given. */
  firstPhase?: number;
  /** Called with the weights after each phase but the last. */
  afterPhase?: (phase: Phase, weights: TensorMap) => Promise<void>;
}

/** Returns every parameter by its Hugging Face name. */
export async function pretrain(
  backend: Backend,
  config: QwenConfig,
  schedule: PretrainSchedule,
  batchOf: (phase: Phase, step: number) => readonly TrainingSequence[],
  report: (progress: PretrainProgress) => void,
  { initial = initialWeights(config, schedule.seed), firstPhase = 0, afterPhase }: PretrainOptions = {},
): Promise<TensorMap> {
  const programs = new Programs(backend);
  const shapes = modelShapes(config);
  const names = Object.fromEntries(Object.keys(shapes).map((name) => [name, name]));
  let parameters = new ParameterSet(programs, [{ names, shapes, initial }]);
  const { cos, sin } = rotaryTables(config, config.maxPositions);
  const ropeDims = [config.maxPositions, config.headDim / 2];
  const rope = { 'rope.cos': backend.upload(cos, ropeDims, true), 'rope.sin': backend.upload(sin, ropeDims, true) };
  const steps = schedule.phases.reduce((sum, { steps: own }) => sum + own, 0);
  let step = schedule.phases.slice(0, firstPhase).reduce((sum, { steps: own }) => sum + own, 0);
  let smoothed: number | null = null;
  for (const [index, { phase, steps: own, learningRate }] of schedule.phases.entries()) {
    if (index < firstPhase) continue;
    for (let inPhase = 0; inPhase < own; inPhase++) {
      const loss = await accumulateAll(programs, config, parameters, rope, batchOf(phase, step), schedule.pieces ?? 1);
      const { applied } = await parameters.step({
        learningRate: learningRate * Math.min(1, (inPhase + 1) / WARM_UP_STEPS) * cosine(inPhase / own),
        weightDecay: 0,
        maxGradNorm: MAX_GRAD_NORM,
      });
      if (!applied) throw new Error(`the gradient of step ${step} is not finite`);
      smoothed = smoothed === null ? loss : 0.98 * smoothed + 0.02 * loss;
      step += 1;
      report({ step, steps, phase, loss: smoothed });
    }
    if (index === schedule.phases.length - 1) break;
    const between = await parameters.parameters();
    await afterPhase?.(phase, between);
    if (schedule.freshMoments !== true) continue;
    parameters.dispose();
    parameters = new ParameterSet(programs, [{ names, shapes, initial: Object.fromEntries(Array.from(between, ([name, { data }]) => [name, data])) }]);
  }
  const trained = await parameters.parameters();
  parameters.dispose();
  disposeAll(Object.values(rope));
  programs.dispose();
  return trained;
}

function cosine(progress: number): number {
  return FINAL_FRACTION + (1 - FINAL_FRACTION) * 0.5 * (1 + Math.cos(Math.PI * progress));
}

/** The loss of a batch, and its gradient, which does not depend on the number of pieces. */
async function accumulateAll(
  programs: Programs,
  config: QwenConfig,
  parameters: ParameterSet,
  rope: Record<string, ReturnType<Backend['upload']>>,
  batch: readonly TrainingSequence[],
  pieces: number,
): Promise<number> {
  const predicted = batch.reduce((sum, { weights }) => sum + weights.filter((weight) => weight !== 0).length, 0);
  const sorted = pieces === 1 ? batch : [...batch].sort((a, b) => a.ids.length - b.ids.length);
  const size = Math.ceil(batch.length / pieces);
  let loss = 0;
  for (let start = 0; start < sorted.length; start += size) {
    loss += await accumulate(programs, config, parameters, rope, sorted.slice(start, start + size), predicted);
  }
  return loss;
}

async function accumulate(
  programs: Programs,
  config: QwenConfig,
  parameters: ParameterSet,
  rope: Record<string, ReturnType<Backend['upload']>>,
  batch: readonly TrainingSequence[],
  predicted: number,
): Promise<number> {
  const { backend } = programs;
  const padded = pad(batch.map(({ ids }) => ids));
  const positions: number[] = [];
  const targetIds: number[] = [];
  batch.forEach(({ ids, weights }, row) => {
    weights.forEach((weight, t) => {
      if (weight === 0) return;
      positions.push(row * padded.length + t - 1);
      targetIds.push(ids[t] ?? 0);
    });
  });
  const tokens = bucket(positions.length, TOKEN_STEP);
  const rows = padded.ids.length;
  const [chunk] = positionChunks(positions, rows, tokens, TOKEN_STEP);
  if (!chunk) throw new Error('the batch predicts nothing');
  const targets = new Int32Array(tokens);
  targets.set(targetIds);
  const weights = new Float32Array(tokens).fill(1 / predicted, 0, targetIds.length);
  const inputs = {
    ids: backend.upload(padded.ids, [rows]),
    index: backend.upload(chunk.index, [tokens]),
    inverse: backend.upload(chunk.inverse, [rows]),
    targets: backend.upload(targets, [tokens]),
    weights: backend.upload(weights, [tokens]),
  };
  const shape = { batch: padded.rows, length: padded.length };
  const program = await programs.program(`pretrain ${padded.rows} ${padded.length} ${tokens}`, () => pretrainGraph(config, shape, tokens, config.maxPositions));
  const outputs = await program.run({ ...parameters.group(0), ...rope, ...inputs });
  const loss = (await readFloats(backend, pick(outputs, 'loss')))[0] ?? Number.NaN;
  const { loss: lossTensor, ...gradients } = outputs;
  lossTensor?.dispose();
  disposeAll(Object.values(inputs));
  await parameters.accumulate(0, Object.fromEntries(Object.entries(gradients).map(([name, tensor]) => [name.slice('d.'.length), tensor])));
  return loss;
}

export function initialWeights(config: QwenConfig, seed: number): Record<string, Float32Array> {
  const residual = INITIAL_DEVIATION / Math.sqrt(2 * config.layers);
  return Object.fromEntries(
    Object.entries(modelShapes(config)).map(([name, shape], i) => {
      const size = sizeOf(shape);
      if (name.endsWith('norm.weight')) return [name, new Float32Array(size).fill(1)];
      if (name.endsWith('.bias')) return [name, new Float32Array(size)];
      const deviation = /o_proj|down_proj/.test(name) ? residual : INITIAL_DEVIATION;
      const random = new Random(seed, i);
      return [name, Float32Array.from({ length: size }, () => random.normal() * deviation)];
    }),
  );
}
