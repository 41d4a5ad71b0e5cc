/** How tokens are drawn, as inputs of the decoding graphs. */
import { BELOW_ONE } from '../qwen/choose.ts';
import { BANNED, type SamplingSteps } from '../qwen/sampling.ts';
import type { TensorRecord } from '../runtime/backend.ts';
import type { Base } from './base.ts';
import type { GenerateOptions } from './types.ts';

export function samplingSteps({ greedy, truncation }: GenerateOptions): SamplingSteps {
  const { topK = 0, topP = 1, minP = 0 } = greedy ? {} : (truncation ?? {});
  return { greedy, topK: topK > 0, topP: topP < 1, minP: minP > 0 };
}

/** Throws a RangeError when every id is banned. */
export function samplingInputs(base: Base, options: GenerateOptions): TensorRecord {
  const { backend, config } = base;
  const banned = new Float32Array(config.vocabSize);
  for (const id of options.bannedIds) banned[id] = BANNED;
  if (banned.every((bias) => bias !== 0)) throw new RangeError('every token is banned');
  const steps = samplingSteps(options);
  const { topK = 0, topP = 1, minP = 0 } = options.truncation ?? {};
  const scalar = (value: number) => backend.upload(Float32Array.of(value), []);
  return {
    inverse_temperature: scalar(1 / options.temperature),
    banned: backend.upload(banned, [1, config.vocabSize]),
    ...(steps.topK ? { top_k: scalar(topK) } : {}),
    ...(steps.topP ? { top_p: scalar(topP) } : {}),
    ...(steps.minP ? { min_p: scalar(minP) } : {}),
  };
}

/** [steps, rows] of the numbers that draw tokens `start`, `start + 1`, … of the given rows. */
export function uniforms(options: GenerateOptions, rows: readonly number[], start: number, steps: number): Float32Array {
  const draws = new Float32Array(steps * rows.length);
  for (let step = 0; step < steps; step++) {
    // Rounding to f32 may reach 1.
    rows.forEach((row, k) => (draws[step * rows.length + k] = Math.min(options.uniform(row, start + step), BELOW_ONE)));
  }
  return draws;
}
