/** Log-probs and entropies of generated tokens, and the way back from their derivatives to an adapter's gradient. */
import { headBackwardGraph, headScoreGraph, keepingHead } from '../qwen/training-graphs.ts';
import { disposeAll, pick, readFloats, type DeviceTensor, type TensorRecord } from '../runtime/backend.ts';
import type { Base } from './base.ts';
import { microBatches, pad, positionChunks, type PaddedRows, type PositionChunk } from './batch.ts';
import { backwardThroughBlocks, disposePass, forwardLast, forwardPass, type AdapterUse, type Pass } from './forward.ts';
import { headTokens } from './limits.ts';
import type { OpenPass, TokenScores, TokenSequence } from './types.ts';

interface ScoringPlan {
  sequences: TokenSequence[];
  padded: PaddedRows;
  /** Row of the hidden state that predicts each generated token. */
  positions: number[];
  /** Target id of every generated token, in order. */
  targets: number[];
}

/** Throws a RangeError when a prompt is empty (its first token would have no prefix) or longer than the model's positions. */
function plan(base: Base, sequences: TokenSequence[]): ScoringPlan {
  const padded = pad(sequences.map(({ prompt, tokens }) => Int32Array.from([...prompt, ...tokens])));
  if (padded.length > base.positions) throw new RangeError(`sequences of ${padded.length} tokens exceed ${base.positions} positions`);
  const positions: number[] = [];
  const targets: number[] = [];
  sequences.forEach(({ prompt, tokens }, row) => {
    if (prompt.length === 0) throw new RangeError('a prompt needs at least one token');
    tokens.forEach((token, t) => {
      positions.push(row * padded.length + prompt.length + t - 1);
      targets.push(token);
    });
  });
  return { sequences, padded, positions, targets };
}

function plans(base: Base, batch: readonly TokenSequence[]): ScoringPlan[] {
  const longest = Math.max(0, ...batch.map(({ prompt, tokens }) => prompt.length + tokens.length));
  return microBatches(batch, longest, base.limits).map((part) => plan(base, part));
}

export async function score(
  base: Base,
  adapter: AdapterUse | null,
  batch: readonly TokenSequence[],
  temperature: number,
): Promise<TokenScores> {
  const result: TokenScores = { logprobs: [], entropies: [] };
  for (const part of plans(base, batch)) {
    const x = await forwardLast(base, part.padded, adapter);
    const { logprobs, entropies } = await scoreState(base, x, part.padded.ids.length, part.positions, part.targets, temperature);
    x.dispose();
    split(part.sequences, logprobs, result.logprobs);
    split(part.sequences, entropies, result.entropies);
  }
  return result;
}

/**
 * Log-prob of `targets[k]` and entropy at row `positions[k]` of the last hidden state `x` [rows, hidden]. Each chunk's logits are kept in `logits`
 * where it is given.
 */
export async function scoreState(
  base: Base,
  x: DeviceTensor,
  rows: number,
  positions: readonly number[],
  targets: readonly number[],
  temperature: number,
  logits: TensorRecord[] | null = null,
): Promise<{ logprobs: number[]; entropies: number[] }> {
  const logprobs: number[] = [];
  const entropies: number[] = [];
  for (const chunk of positionChunks(positions, rows, headTokens(base.config, base.limits))) {
    const inputs = headInputs(base, targets, chunk, temperature);
    const tokens = chunk.index.length;
    const program = logits
      ? await base.program(`score-keeping ${rows} ${tokens}`, () => keepingHead(base.config, rows, tokens, false).forward)
      : await base.program(`score ${rows} ${tokens}`, () => headScoreGraph(base.config, rows, tokens));
    const { logprob, entropy, ...kept } = await program.run({ ...base.head(), ...inputs, x });
    if (!logprob || !entropy) throw new Error('the head gave no scores');
    logits?.push(kept);
    logprobs.push(...(await readFloats(base.backend, logprob)).subarray(0, chunk.used));
    entropies.push(...(await readFloats(base.backend, entropy)).subarray(0, chunk.used));
    disposeAll([...Object.values(inputs), logprob, entropy]);
  }
  return { logprobs, entropies };
}

/** Adds dL/d(adapter) for L with the given derivatives by each log-prob and entropy. Sequences without tokens add nothing. */
export async function backward(
  base: Base,
  adapter: AdapterUse,
  batch: readonly TokenSequence[],
  temperature: number,
  cotangents: TokenScores,
): Promise<void> {
  let row = 0;
  for (const part of plans(base, batch)) {
    const rows = part.sequences.length;
    const dLogprob = flat(cotangents.logprobs.slice(row, row + rows), part.targets.length);
    const dEntropy = flat(cotangents.entropies.slice(row, row + rows), part.targets.length);
    row += rows;
    if (part.targets.length === 0) continue;
    const pass = await forwardPass(base, part.padded, adapter);
    await backwardFrom(base, adapter, part, pass, temperature, dLogprob, dEntropy);
    disposePass(pass);
  }
}

/**
 * Scores a batch and keeps its pass for the way back. A batch that has to go through the model in several parts keeps nothing: it goes
 * forward again, part by part, as it would have without.
 */
export async function open(base: Base, adapter: AdapterUse, batch: readonly TokenSequence[], temperature: number): Promise<OpenPass> {
  const [part, ...others] = plans(base, batch);
  if (!part || others.length > 0) {
    const scores = await score(base, adapter, batch, temperature);
    return { scores, backward: (cotangents) => backward(base, adapter, batch, temperature, cotangents), close: () => undefined };
  }
  const pass = await forwardPass(base, part.padded, adapter);
  const logits = base.limits.keepLogits === true ? [] : null;
  const flatScores = await scoreState(base, lastOf(pass.states), part.padded.ids.length, part.positions, part.targets, temperature, logits);
  const scores: TokenScores = { logprobs: [], entropies: [] };
  split(part.sequences, flatScores.logprobs, scores.logprobs);
  split(part.sequences, flatScores.entropies, scores.entropies);
  const close = (): void => {
    disposePass(pass);
    for (const one of logits ?? []) disposeAll(Object.values(one));
  };
  return {
    scores,
    async backward({ logprobs, entropies }) {
      const count = part.targets.length;
      try {
        if (count > 0) await backwardFrom(base, adapter, part, pass, temperature, flat(logprobs, count), flat(entropies, count), logits);
      } finally {
        close();
      }
    },
    close,
  };
}

/** From a pass, whose states it leaves as they are, back into the adapter. */
async function backwardFrom(
  base: Base,
  adapter: AdapterUse,
  part: ScoringPlan,
  pass: Pass,
  temperature: number,
  dLogprob: Float32Array,
  dEntropy: Float32Array,
  logits: readonly TensorRecord[] | null = null,
): Promise<void> {
  const dx = await headBackward(base, part, lastOf(pass.states), temperature, dLogprob, dEntropy, logits);
  await backwardThroughBlocks(base, part.padded, adapter, pass, (_, above) => Promise.resolve(above ?? dx));
}

function lastOf(states: readonly DeviceTensor[]): DeviceTensor {
  const last = states.at(-1);
  if (!last) throw new Error('the model has no hidden state');
  return last;
}

async function headBackward(
  base: Base,
  part: ScoringPlan,
  x: DeviceTensor,
  temperature: number,
  dLogprob: Float32Array,
  dEntropy: Float32Array,
  logits: readonly TensorRecord[] | null,
): Promise<DeviceTensor> {
  const rows = part.padded.rows * part.padded.length;
  let sum: DeviceTensor | null = null;
  for (const [i, chunk] of positionChunks(part.positions, rows, headTokens(base.config, base.limits)).entries()) {
    const tokens = chunk.index.length;
    const kept = logits?.[i];
    const own = (values: Float32Array) => {
      const padded = new Float32Array(tokens);
      padded.set(values.subarray(chunk.start, chunk.start + chunk.used));
      return base.backend.upload(padded, [tokens]);
    };
    const inputs: TensorRecord = {
      ...headInputs(base, part.targets, chunk, temperature),
      dlogprob: own(dLogprob),
      dentropy: own(dEntropy),
      inverse: base.backend.upload(chunk.inverse, [rows]),
      ...(sum ? { base: sum } : {}),
    };
    const accumulate = sum !== null;
    const key = `${rows} ${tokens} ${accumulate}`;
    const program = kept
      ? await base.program(`head-backward-kept ${key}`, () => keepingHead(base.config, rows, tokens, accumulate).backward)
      : await base.program(`head-backward ${key}`, () => headBackwardGraph(base.config, rows, tokens, accumulate));
    sum = pick(await program.run({ ...base.head(), ...inputs, ...kept, x }), 'dx');
    disposeAll([...Object.values(inputs), ...Object.values(kept ?? {})]);
  }
  if (!sum) throw new Error('there is no token to learn from');
  return sum;
}

function headInputs(base: Base, targetIds: readonly number[], chunk: PositionChunk, temperature: number): TensorRecord {
  const tokens = chunk.index.length;
  const targets = new Int32Array(tokens);
  targets.set(targetIds.slice(chunk.start, chunk.start + chunk.used));
  return {
    index: base.backend.upload(chunk.index, [tokens]),
    targets: base.backend.upload(targets, [tokens]),
    inverse_temperature: base.backend.upload(Float32Array.of(1 / temperature), []),
  };
}

/** Cuts flat per-token numbers into one array a sequence. */
function split(sequences: readonly TokenSequence[], flatValues: readonly number[], into: Float32Array[]): void {
  let start = 0;
  for (const { tokens } of sequences) {
    into.push(Float32Array.from(flatValues.slice(start, start + tokens.length)));
    start += tokens.length;
  }
}

function flat(values: readonly Float32Array[], expected: number): Float32Array {
  const joined = Float32Array.from(values.flatMap((row) => [...row]));
  if (joined.length !== expected) throw new RangeError(`${joined.length} cotangents for ${expected} tokens`);
  return joined;
}
