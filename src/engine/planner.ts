/**
 * What a run will take of a device's memory, reckoned from the configuration before anything is downloaded, and how much may go through the
 * model at once so that it fits.
 *
 * Counted are tensors, what the graphs need between them, and on the CPU what the program takes beside them.
 */
import { BYTES_PER_ELEMENT, sizeOf, type Graph } from '../onnx/graph.ts';
import { largestBytes, peakBytes } from '../onnx/peak-memory.ts';
import { modelTensors, type TensorTypes } from '../qwen/base-weights.ts';
import type { QwenConfig } from '../qwen/config.ts';
import { promptGraph, stepGraph } from '../qwen/decode-graphs.ts';
import { loraShapes, type LoraSpec } from '../qwen/lora.ts';
import type { Shapes } from '../qwen/parameters.ts';
import { blockBackwardGraph, headBackwardGraph, keepingBlock, keepingHead } from '../qwen/training-graphs.ts';
import type { DeviceLimits } from '../runtime/backend.ts';
import { PlaygroundError } from '../runtime/errors.ts';
import { positionsOf } from './base.ts';
import { bucket, chunkTokens, rowsAtOnce } from './batch.ts';
import { DEFAULT_LIMITS, HEAD_STEP, headTokens, type Limits } from './limits.ts';

export interface MemoryRequest {
  /** Its precision is the base's; all that is trained is f32. */
  config: QwenConfig;
  /** Sequences that are generated or scored in one go, before they are split. */
  rows: number;
  /** Tokens of the longest prompt, and of the longest answer. */
  promptTokens: number;
  newTokens: number;
  /** Tokens of the longest sequence that is read whole: the critic's transcript may be longer than any prompt with its answer. */
  transcriptTokens: number;
  /** Each agent's adapter, and the critic's if it has one. */
  adapters: readonly LoraSpec[];
  /** What the program takes of the same memory beside tensors, in bytes: 0 where the device has a memory of its own. */
  program: number;
}

/** Bytes on the device at the moment when they are most; the other lines add up to the last. */
export interface MemoryTable {
  /** ONNX Runtime, the tokenizer, the critic's equations: all that is no tensor; 0 where it lies in another memory. */
  program: number;
  /** All tensors of the model as they are held, and the rotary tables (f32): rows · head size. */
  base: number;
  /** A and B of every adapter: layers · Σ rank · (in + out) · 4. */
  adapters: number;
  /** AdamW's two: twice the adapters. */
  moments: number;
  /** As large as the adapters: a joint update holds those of all agents at once. */
  gradients: number;
  /**
   * While decoding, keys and values of what is there and of what a step makes of it:
   * 2 · [2 · layers · rows · (prompt + new) · key heads · head size] · 4; 0 at other moments.
   */
  kvCache: number;
  /**
   * While learning, each block's input, (layers + 1) · rows · length · hidden · 4, and in the backward pass the cotangent (one more of them) and
   * what one block recomputes; with `keepProducts` also what all blocks multiplied. While decoding, what a step computes beside its cache, logits included.
   */
  activations: number;
  /**
   * At the head of the backward pass, what one chunk of logits takes, about 5 · tokens · vocabulary · 4, and with `keepLogits` the logits of all
   * chunks; 0 at other moments.
   */
  head: number;
  total: number;
}

export interface MemoryPlan {
  limits: Limits;
  /** Sequences of the longest length that go through the model at once. */
  rows: number;
  table: MemoryTable;
}

const FLOAT = 4;

/** The table for given limits. */
export function predictMemory(request: MemoryRequest, limits: Limits): MemoryTable {
  const { config } = request;
  const positions = positionsOf(config);
  const adapters = FLOAT * config.layers * request.adapters.reduce((sum, spec) => sum + elements(loraShapes(config, spec)), 0);
  const held = {
    program: request.program,
    base: bytesOf(modelTensors(config)) + FLOAT * positions * config.headDim,
    adapters,
    moments: 2 * adapters,
    gradients: adapters,
  };
  const working = [decoding(request, limits), ...learning(request, limits)].reduce((most, one) => (sum(one) > sum(most) ? one : most));
  return { ...held, ...working, total: sum(held) + sum(working) };
}

/**
 * The default limits where they fit; else the most rows, and then the largest chunks of the head, with which the run fits, keeping the blocks'
 * products where there is room for them beside. Throws a PlaygroundError, with the arithmetic, when not even one row does: `model-too-large` for the sum, `device-limit` for a single tensor.
 */
export function planMemory(request: MemoryRequest, allowed: DeviceLimits): MemoryPlan {
  const length = longest(request);
  const most = Math.min(request.rows, rowsAtOnce(length, DEFAULT_LIMITS));
  let plan: MemoryPlan = { limits: DEFAULT_LIMITS, rows: most, table: predictMemory(request, DEFAULT_LIMITS) };
  if (fits(request, plan, allowed)) return plan;
  const withoutLogits = { ...DEFAULT_LIMITS, keepLogits: false };
  plan = { limits: withoutLogits, rows: most, table: predictMemory(request, withoutLogits) };
  if (fits(request, plan, allowed)) return plan;
  for (let rows = most; rows >= 1; rows = Math.floor(rows / 2)) {
    for (let { headBytes } = DEFAULT_LIMITS; ; headBytes /= 2) {
      const limits = { tokensAtOnce: rows * bucket(length), headBytes };
      plan = { limits, rows, table: predictMemory(request, limits) };
      if (fits(request, plan, allowed)) return keeping(request, plan, allowed) ?? plan;
      if (headTokens(request.config, limits) === HEAD_STEP) break;
    }
  }
  if (plan.table.total > allowed.total) {
    throw new PlaygroundError(
      'model-too-large',
      `The run needs ${megabytes(plan.table.total)} MB with one sequence at a time, ${describeMemory(plan.table)}, but only ${megabytes(allowed.total)} MB are allowed.`,
      'Allow more memory, or choose a smaller model, lower ranks, or shorter profiles and answers.',
    );
  }
  throw new PlaygroundError(
    'device-limit',
    `The run needs a tensor of ${megabytes(largestTensor(request, plan.limits))} MB, but this device holds at most ${megabytes(allowed.tensor)} MB in one.`,
    'Run on the processor instead, or choose a smaller model, or shorter profiles and answers.',
  );
}

/** The same with the products kept; null where that does not fit. */
function keeping(request: MemoryRequest, { limits, rows }: MemoryPlan, allowed: DeviceLimits): MemoryPlan | null {
  const more = { ...limits, keepProducts: true };
  const plan = { limits: more, rows, table: predictMemory(request, more) };
  return fits(request, plan, allowed) ? plan : null;
}

/** Bytes of the largest tensor of a run: as a rule the embedding, which a graph widens to f32, or what a block makes of all its tokens. */
export function largestTensor(request: MemoryRequest, limits: Limits): number {
  const { prompt, step } = decodingGraphs(request, limits);
  const { head, block, forward } = learningGraphs(request, limits);
  return Math.max(...[prompt, step, head, block, forward].flatMap((graph) => (graph ? [largestBytes(graph)] : [])));
}

function fits(request: MemoryRequest, { table, limits }: MemoryPlan, allowed: DeviceLimits): boolean {
  return table.total <= allowed.total && (allowed.tensor === Infinity || largestTensor(request, limits) <= allowed.tensor);
}

const LINE_WORDS: Record<Exclude<keyof MemoryTable, 'total'>, string> = {
  program: 'program',
  base: 'base',
  adapters: 'adapters',
  moments: 'moments',
  gradients: 'gradients',
  kvCache: 'cache',
  activations: 'activations',
  head: 'head',
};

/** The sum in megabytes of 10⁶ bytes: `base 12.0 + adapters 1.0 + …`, without lines of nothing. */
export function describeMemory(table: MemoryTable): string {
  return (Object.keys(LINE_WORDS) as (keyof typeof LINE_WORDS)[])
    .filter((line) => table[line] > 0)
    .map((line) => `${LINE_WORDS[line]} ${megabytes(table[line])}`)
    .join(' + ');
}

export function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

/** The one that computes most. */
const COSTLIEST_SAMPLING = { greedy: false, topK: true, topP: true, minP: true };

type Working = Pick<MemoryTable, 'kvCache' | 'activations' | 'head'>;

/** The prompt's pass holds an empty cache and the one it makes; a step the one before it and the one after it. */
function decoding(request: MemoryRequest, limits: Limits): Working {
  const { prompt, step, cache } = decodingGraphs(request, limits);
  const most = Math.max(peakBytes(prompt), cache + peakBytes(step));
  return { kvCache: Math.min(most, 2 * cache), activations: Math.max(0, most - 2 * cache), head: 0 };
}

/** `cache` in bytes. */
function decodingGraphs(request: MemoryRequest, limits: Limits): { prompt: Graph; step: Graph; cache: number } {
  const { config } = request;
  const promptLength = bucket(request.promptTokens);
  const batch = Math.min(request.rows, rowsAtOnce(request.promptTokens + request.newTokens, limits));
  const shape = { batch, promptLength, maxNewTokens: request.newTokens, positions: positionsOf(config), sampling: COSTLIEST_SAMPLING, stopIds: [] };
  const cache = FLOAT * 2 * config.layers * batch * (promptLength + request.newTokens) * config.kvHeads * config.headDim;
  // Any adapter: it adds little to what is computed.
  const lora = request.adapters[0] ?? null;
  return { prompt: promptGraph(config, lora, shape), step: stepGraph(config, lora, shape), cache };
}

/** The moments of learning: the last block's forward pass where it keeps something, a chunk of the head, and a block backwards. */
function learning(request: MemoryRequest, limits: Limits): Working[] {
  const { state, head, score, logits, logitsOfChunk, block, forward, kept, chunks } = learningGraphs(request, limits);
  const { layers } = request.config;
  const states = (layers + 1) * state;
  const moments: Working[] = [
    // From the second chunk on, the sum so far is there as well.
    { kvCache: 0, activations: states + layers * kept + (chunks ? state : 0), head: Math.max(logits + peakBytes(head), score ? logits - logitsOfChunk + peakBytes(score) : 0) },
  ];
  if (block) moments.push({ kvCache: 0, activations: states + state + layers * kept + peakBytes(block), head: 0 });
  if (forward) moments.push({ kvCache: 0, activations: layers * state + (layers - 1) * kept + peakBytes(forward), head: 0 });
  return moments;
}

interface LearningGraphs {
  /** Bytes of one hidden state of the batch. */
  state: number;
  head: Graph;
  /** The head forwards, where its logits are kept, and the bytes of all of them and of one chunk's. */
  score: Graph | null;
  logits: number;
  logitsOfChunk: number;
  /** Whether the head takes more than one chunk. */
  chunks: boolean;
  /** Backwards; null where nothing is adapted. */
  block: Graph | null;
  /** Forwards, where something is kept. */
  forward: Graph | null;
  /** Bytes that a block keeps. */
  kept: number;
}

function learningGraphs(request: MemoryRequest, limits: Limits): LearningGraphs {
  const { config } = request;
  const length = bucket(longest(request));
  const batch = Math.min(request.rows, rowsAtOnce(length, limits));
  const tokens = batch * length;
  const chunk = chunkTokens(batch * request.newTokens, headTokens(config, limits));
  const chunks = batch * request.newTokens > chunk;
  const [widest] = [...request.adapters].sort((a, b) => elements(loraShapes(config, b)) - elements(loraShapes(config, a)));
  // A batch in several parts keeps no logits from one to the next.
  const keepsLogits = limits.keepLogits === true && batch === request.rows;
  const ways = keepsLogits ? keepingHead(config, tokens, chunk, chunks) : { forward: null, backward: headBackwardGraph(config, tokens, chunk, chunks) };
  const logitsOfChunk = keepsLogits ? FLOAT * config.vocabSize * chunk : 0;
  const logits = logitsOfChunk * Math.ceil((batch * request.newTokens) / chunk);
  const common = { state: FLOAT * tokens * config.hiddenSize, head: ways.backward, score: ways.forward, logits, logitsOfChunk, chunks };
  if (!widest) return { ...common, block: null, forward: null, kept: 0 };
  const shape = { batch, length };
  if (limits.keepProducts !== true) return { ...common, block: blockBackwardGraph(config, widest, shape, positionsOf(config), true), forward: null, kept: 0 };
  const { forward, backward, kept } = keepingBlock(config, widest, shape, positionsOf(config), true);
  return { ...common, block: backward, forward, kept: bytesOf(Object.fromEntries(kept.map((value) => [value.name, value]))) };
}

function longest({ promptTokens, newTokens, transcriptTokens }: MemoryRequest): number {
  return Math.max(promptTokens + newTokens, transcriptTokens);
}

function bytesOf(tensors: TensorTypes): number {
  return Object.values(tensors).reduce((bytes, { dtype, shape }) => bytes + sizeOf(shape) * BYTES_PER_ELEMENT[dtype], 0);
}

function elements(shapes: Shapes): number {
  return Object.values(shapes).reduce((count, shape) => count + sizeOf(shape), 0);
}

function sum(lines: object): number {
  return Object.values(lines).reduce((total: number, line: number) => total + line, 0);
}
