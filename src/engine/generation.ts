/** Batched generation: all prompts at once, within what goes through the model at once. */
import type { AdapterUse } from './forward.ts';
import type { Base } from './base.ts';
import { microBatches } from './batch.ts';
import { decode } from './decoding.ts';
import type { GenerateOptions, Generation } from './types.ts';

/**
 * Throws a PlaygroundError: `prompt-too-long` when prompt and answer exceed the model's positions, `generation-stopped` when the signal said so.
 * Nothing stays on the device in either case.
 */
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
    const { onTokens } = options;
    const answers = await decode(base, adapter, part, {
      ...options,
      uniform: (row, position) => options.uniform(first + row, position),
      onTokens: onTokens && ((row, tokens, logprobs) => onTokens(first + row, tokens, logprobs)),
    });
    generations.push(...answers);
  }
  return generations;
}
