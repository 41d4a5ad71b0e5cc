/** What the frozen base makes of whole transcripts: hidden states and how likely it found what was said. */
import { featureCount, featuresGraph, valueDepths } from '../qwen/value-head.ts';
import { disposeAll, pick, readFloats, type DeviceTensor } from '../runtime/backend.ts';
import type { Base } from './base.ts';
import { forwardStates } from './forward.ts';
import { scoreState } from './scoring.ts';
import type { TranscriptReading, ValuedSequence } from './types.ts';
import { valuePlans, type ValuePlan } from './value-plan.ts';

export async function readTranscripts(base: Base, batch: readonly ValuedSequence[]): Promise<TranscriptReading[]> {
  const width = featureCount(base.config);
  const readings: TranscriptReading[] = [];
  for (const part of valuePlans(batch, base.limits)) {
    const states = await forwardStates(base, part.padded, null);
    const features = await featuresAt(base, part, states);
    const logprobs = await logprobsAt(base, part, states);
    disposeAll(states);
    let start = 0;
    for (const { positions } of part.sequences) {
      const end = start + positions.length;
      readings.push({ width, states: features.slice(start * width, end * width), logprobs: logprobs.slice(start, end) });
      start = end;
    }
  }
  return readings;
}

/** [positions · width] */
async function featuresAt(base: Base, { padded, chunk }: ValuePlan, states: readonly DeviceTensor[]): Promise<Float32Array> {
  const rows = padded.ids.length;
  const tokens = chunk.index.length;
  const program = await base.program(`features ${rows} ${tokens}`, () => featuresGraph(base.config, rows, tokens));
  const index = base.backend.upload(chunk.index, [tokens]);
  const outputs = await program.run({ index, ...stateInputs(base, states) });
  const features = (await readFloats(base.backend, pick(outputs, 'features'))).slice();
  disposeAll([index, ...Object.values(outputs)]);
  return features;
}

/** The states that a value head reads, by the names of its graph's inputs. */
export function stateInputs(base: Base, states: readonly DeviceTensor[]): Record<string, DeviceTensor> {
  return Object.fromEntries(
    valueDepths(base.config).map((depth) => {
      const state = states[depth];
      if (!state) throw new RangeError(`there is no hidden state ${depth}`);
      return [`state.${depth}`, state];
    }),
  );
}

/** Log-prob of the very token at each position, from the state before it. */
async function logprobsAt(base: Base, { sequences, padded }: ValuePlan, states: readonly DeviceTensor[]): Promise<Float32Array> {
  const last = states.at(-1);
  if (!last) throw new RangeError('the model has no hidden state');
  const rows: number[] = [];
  const targets: number[] = [];
  const places: number[] = [];
  let place = 0;
  sequences.forEach(({ ids, positions }, row) => {
    for (const position of positions) {
      if (position > 0) {
        rows.push(row * padded.length + position - 1);
        targets.push(ids[position] ?? 0);
        places.push(place);
      }
      place += 1;
    }
  });
  const scores = await scoreState(base, last, padded.ids.length, rows, targets, 1);
  const logprobs = new Float32Array(place);
  places.forEach((at, i) => (logprobs[at] = scores.logprobs[i] ?? 0));
  return logprobs;
}
