/** A model repository as Hugging Face lays it out, read tensor by tensor from wherever its files are. */
import { z } from 'zod';
import { PlaygroundError } from '../runtime/errors.ts';
import { headerLength, headerRange, parseHeader, toFloat32, type TensorEntry, type TensorIndex } from './safetensors.ts';
import type { FileSource } from './source.ts';

z.config({ jitless: true });

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

interface Place {
  file: string;
  entry: TensorEntry;
}

const SINGLE_FILE = 'model.safetensors';
const SHARD_INDEX = 'model.safetensors.index.json';
const CHAT_TEMPLATE = 'chat_template.jinja';
const LENGTH_BYTES = 8;
const DOWNLOAD_AGAIN = 'Download the model again.';

/** A shard is a plain file name beside the index: nothing that leaves the repository. */
const shardIndex = z.object({ weight_map: z.record(z.string(), z.string().regex(/^[\w.-]+\.safetensors$/)) });

/**
 * Reads everything but the weights' values, in the order that spares downloads: `config.json`, the files about text, then where each tensor
 * lies. Whoever wants to refuse a model in between calls the three functions below. Throws PlaygroundErrors for missing or broken files.
 */
export async function openRepository(source: FileSource): Promise<Repository> {
  const config = await readConfig(source);
  const text = await readTextFiles(source);
  return { config, ...text, ...(await openWeights(source)) };
}

export function readConfig(source: FileSource): Promise<unknown> {
  return readJson(source, 'config.json');
}

/** What a chat tokenizer is made of. */
export async function readTextFiles(source: FileSource): Promise<Pick<Repository, 'generationConfig' | 'tokenizer' | 'tokenizerConfig'>> {
  const [generationConfig, tokenizer, tokenizerConfig] = await Promise.all([
    readJson(source, 'generation_config.json').catch(orNull),
    readJson(source, 'tokenizer.json'),
    readTokenizerConfig(source),
  ]);
  return { generationConfig, tokenizer, tokenizerConfig };
}

/** Reads where each tensor lies; a source with a cache then downloads the files of weights. */
export async function openWeights(source: FileSource): Promise<Pick<Repository, 'tensorNames' | 'readTensor'>> {
  const places = await findTensors(source);
  return {
    tensorNames: [...places.keys()],
    async readTensor(name) {
      const place = places.get(name);
      if (!place) {
        throw new PlaygroundError('checkpoint-mismatch', `${source.description} has no tensor ${name}.`, `The files do not belong together. ${DOWNLOAD_AGAIN}`);
      }
      const { file, entry } = place;
      const bytes = await source.readRange(file, entry.start, entry.end);
      if (bytes.length !== entry.end - entry.start) {
        throw new PlaygroundError('checkpoint-broken', `${file} ends inside ${name}.`, DOWNLOAD_AGAIN);
      }
      return { dims: [...entry.shape], data: toFloat32(bytes, entry.dtype) };
    },
  };
}

/**
 * The names of all files that are read of a repository whose `files` are known, weights last. Reads the shards' index where there is one;
 * throws what `openWeights` throws for a repository without weights.
 */
export async function neededFiles(source: FileSource, files: ReadonlySet<string>): Promise<string[]> {
  const text = ['config.json', 'generation_config.json', 'tokenizer.json', 'tokenizer_config.json', CHAT_TEMPLATE].filter((name) => files.has(name));
  if (files.has(SINGLE_FILE)) return [...text, SINGLE_FILE];
  return [...text, SHARD_INDEX, ...new Set(Object.values(await readShardIndex(source)))];
}

/** With the chat template in it, which newer repositories keep in a file of its own; as in Python, that file counts where both are there. */
async function readTokenizerConfig(source: FileSource): Promise<unknown> {
  const config = await readJson(source, 'tokenizer_config.json');
  if (typeof config !== 'object' || config === null) return config;
  // Where only a request can tell, none is made for a file that would be nothing new.
  const separate = source.has ? await source.has(CHAT_TEMPLATE) : !('chat_template' in config);
  if (!separate) return config;
  const template = await source.read(CHAT_TEMPLATE).catch(orNull);
  return template === null ? config : { ...config, chat_template: new TextDecoder().decode(template) };
}

/** Where each tensor lies, from the headers alone. The single file comes first, as in Python, and spares a request that fails. */
async function findTensors(source: FileSource): Promise<Map<string, Place>> {
  const single = await readHeader(source, SINGLE_FILE).catch(orNull);
  if (single) return new Map([...single].map(([name, entry]) => [name, { file: SINGLE_FILE, entry }]));
  const wanted = Object.entries(await readShardIndex(source));
  const shards = new Map<string, TensorIndex>();
  for (const file of new Set(wanted.map(([, file]) => file))) shards.set(file, await readHeader(source, file));
  const places = new Map<string, Place>();
  for (const [name, file] of wanted) {
    const entry = shards.get(file)?.get(name);
    if (!entry) throw new PlaygroundError('checkpoint-broken', `${file} lacks ${name}, which ${SHARD_INDEX} says it holds.`, DOWNLOAD_AGAIN);
    places.set(name, { file, entry });
  }
  return places;
}

/** The shard of each tensor. */
async function readShardIndex(source: FileSource): Promise<Record<string, string>> {
  const index = await readJson(source, SHARD_INDEX).catch(orNull);
  if (index === null) {
    throw new PlaygroundError(
      'file-missing',
      `${source.description} has neither ${SINGLE_FILE} nor ${SHARD_INDEX}.`,
      'Choose a model whose weights are safetensors; other formats can run code and are not read.',
    );
  }
  const parsed = shardIndex.safeParse(index);
  if (!parsed.success) {
    throw new PlaygroundError('checkpoint-broken', `${SHARD_INDEX} does not list shards.`, DOWNLOAD_AGAIN, { cause: parsed.error });
  }
  return parsed.data.weight_map;
}

async function readHeader(source: FileSource, file: string): Promise<TensorIndex> {
  const length = headerLength(await source.readRange(file, 0, LENGTH_BYTES));
  return parseHeader(await source.readRange(file, ...headerRange(length)), length);
}

async function readJson(source: FileSource, path: string): Promise<unknown> {
  const bytes = await source.read(path);
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw new PlaygroundError('checkpoint-broken', `${path} of ${source.description} is not JSON.`, DOWNLOAD_AGAIN, { cause });
  }
}

/** Only a file that does not exist may be done without. */
function orNull(error: unknown): null {
  if (error instanceof PlaygroundError && error.code === 'file-missing') return null;
  throw error;
}
