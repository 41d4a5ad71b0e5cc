/** Weights to go on from: those of a model of the same shape whose vocabulary is another one. */
import { openRepository } from '../checkpoint/repository.ts';
import type { FileSource } from '../checkpoint/source.ts';
import type { QwenConfig } from '../qwen/config.ts';
import { EMBEDDING } from '../qwen/parameters.ts';
import { initialWeights } from './train.ts';
import type { TokenizerFiles } from './tokenizer-files.ts';

/**
 * Every weight of the model in `source`; a token that it does not know starts as in a new model. Throws a RangeError when the shapes differ
 * by more than the vocabulary.
 */
export async function weightsFrom(source: FileSource, config: QwenConfig, tokenizer: TokenizerFiles, seed: number): Promise<Record<string, Float32Array>> {
  const repository = await openRepository(source);
  const rows = new Map(rowsByToken(repository.tokenizer));
  const weights: Record<string, Float32Array> = {};
  for (const [name, fresh] of Object.entries(initialWeights(config, seed))) {
    const { data } = await repository.readTensor(name);
    if (name !== EMBEDDING) {
      if (data.length !== fresh.length) throw new RangeError(`${name} has ${data.length} numbers, not ${fresh.length}`);
      weights[name] = data;
      continue;
    }
    const embedding = Float32Array.from(fresh);
    for (const [token, row] of rowsByToken(tokenizer.tokenizer)) {
      const known = rows.get(token);
      if (known === undefined) continue;
      embedding.set(data.subarray(known * config.hiddenSize, (known + 1) * config.hiddenSize), row * config.hiddenSize);
    }
    weights[name] = embedding;
  }
  return weights;
}

/** Every token of a tokenizer.json, special ones too, with its id. */
function rowsByToken(tokenizer: unknown): [string, number][] {
  const { model, added_tokens: added } = tokenizer as { model: { vocab: Record<string, number> }; added_tokens: { content: string; id: number }[] };
  return [...Object.entries(model.vocab), ...added.map(({ content, id }): [string, number] => [content, id])];
}
