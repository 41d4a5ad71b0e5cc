/** A model repository as Hugging Face lays it out, read tensor by tensor from wherever its files are. */
import { z } from 'zod';
import { PlaygroundError } from '../runtime/errors.ts';
import { headerLength, headerRange, parseHeader, toFloat32, type TensorEntry } from './safetensors.ts';
import type { FileSource } from './source.ts';

export interface Repository {
  config: unknown;
  /** Null where the repository has none. */
  generationConfig: unknown;
  tokenizer: unknown;
  tokenizerConfig: unknown;
  tensorNames: readonly string[];
  /** The tensor in f32. Throws a PlaygroundError (`checkpoint-mismatch`) when there is none of that name. */
  readTensor(name: string): Promise<{ dims: number[]; data: Float32Array }>;
}

const SINGLE_FILE = 'model.safetensors';
const SHARD_INDEX = 'model.safetensors.index.json';

/** A shard is a plain file name beside the index: nothing that leaves the repository. */
const shardIndex = z.object({ weight_map: z.record(z.string(), z.string().regex(/^[\w.-]+\.safetensors$/)) });

/** Reads everything but the weights. Throws PlaygroundErrors for missing or broken files. */
export async function openRepository(source: FileSource): Promise<Repository> {
  const [config, generationConfig, tokenizer, tokenizerConfig] = await Promise.all([
    readJson(source, 'config.json'),
    readJson(source, 'generation_config.json').catch(orNull),
    readJson(source, 'tokenizer.json'),
    readJson(source, 'tokenizer_config.json'),
  ]);
  const files = await weightFiles(source);
  const places = new Map<string, { file: string; entry: TensorEntry }>();
  for (const file of files) {
    const [start, end] = headerRange(headerLength(await source.readRange(file, 0, 8)));
    for (const [name, entry] of parseHeader(await source.readRange(file, start, end))) places.set(name, { file, entry });
  }
  return {
    config,
    generationConfig,
    tokenizer,
    tokenizerConfig,
    tensorNames: [...places.keys()],
    async readTensor(name) {
      const place = places.get(name);
      if (!place) {
        throw new PlaygroundError('checkpoint-mismatch', `${source.description} has no tensor ${name}.`, 'The files do not belong together: download the model again.');
      }
      const { file, entry } = place;
      const bytes = await source.readRange(file, entry.start, entry.end);
      if (bytes.length !== entry.end - entry.start) {
        throw new PlaygroundError('checkpoint-broken', `${file} ends inside ${name}.`, 'Download the model again.');
      }
      return { dims: entry.shape, data: toFloat32(bytes, entry.dtype) };
    },
  };
}

async function weightFiles(source: FileSource): Promise<string[]> {
  const index = await readJson(source, SHARD_INDEX).catch(orNull);
  if (index === null) return [SINGLE_FILE];
  const parsed = shardIndex.safeParse(index);
  if (!parsed.success) {
    throw new PlaygroundError('checkpoint-broken', `${SHARD_INDEX} does not list shards.`, 'Download the model again.', { cause: parsed.error });
  }
  return [...new Set(Object.values(parsed.data.weight_map))].sort();
}

async function readJson(source: FileSource, path: string): Promise<unknown> {
  const bytes = await source.read(path);
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw new PlaygroundError('checkpoint-broken', `${path} of ${source.description} is not JSON.`, 'Download the model again.', { cause });
  }
}

/** Only a file that does not exist may be done without. */
function orNull(error: unknown): null {
  if (error instanceof PlaygroundError && error.code === 'file-missing') return null;
  throw error;
}
