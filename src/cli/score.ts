/** Log-prob and entropy of given token ids under a model: the smallest window on the engine, for comparison with others. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { openWeights, readConfig } from '../checkpoint/repository.ts';
import { loadLanguageModel, type QwenModel } from '../engine/model.ts';
import { PRECISION_SETTINGS, precisionOn } from '../engine/precision.ts';
import type { Policy, TokenSequence } from '../engine/types.ts';
import { parseQwenConfig } from '../qwen/config.ts';
import { PlaygroundError } from '../runtime/errors.ts';
import { openAdapter } from './adapter.ts';
import { readArguments, UsageError } from './arguments.ts';
import { BACKEND_KINDS, backendOf } from './backend-kinds.ts';
import { openBackend } from './backend.ts';
import { HUB_HELP, HUB_OPTIONS, MODEL_HELP, hubAccess, openModel, readModel } from './models.ts';
import { PRECISION_OPTION, precisionOf } from './precision.ts';
import type { Command } from './terminal.ts';

const HELP = `Print the log-prob and entropy of token ids under a model, as JSON.

Usage: npm run --silent marft -- score --model MODEL --ids FILE [options]

FILE holds a JSON list. An entry is a list of ids, of which all but the first are scored, or an object
{"prompt": [ids], "tokens": [ids]}, of which the tokens are scored. Printed is a list with, per entry,
{"logprobs": [...], "entropies": [...]} in nats, one number a scored token.

Options:
  --model MODEL       A dense Qwen2, Qwen2.5 or Qwen3 model: ${MODEL_HELP}.
  --ids FILE          The token ids.
  --adapter DIR       A LoRA adapter in PEFT's format on top of it.
  --precision P       Hold the model in ${PRECISION_SETTINGS.join(', ')}; f32 on the processor unless given.
  --temperature T     Divides the logits; default 1.
  --backend NAME      ${BACKEND_KINDS.join(' or ')}; cpu unless given.
  --help              Show this.
${HUB_HELP}
`;

const id = z.int().min(0).max(2 ** 31 - 1);
const idsFile = z.array(z.union([z.array(id).min(1), z.strictObject({ prompt: z.array(id).min(1), tokens: z.array(id) })])).min(1);

export const SCORE_COMMAND: Command = {
  name: 'score',
  summary: 'Print the log-prob and entropy of token ids under a model.',
  help: HELP,
  async run(args, terminal) {
    const given = readArguments('score', args, {
      model: 'value',
      ids: 'value',
      adapter: 'value',
      temperature: 'value',
      backend: 'value',
      ...PRECISION_OPTION,
      ...HUB_OPTIONS,
    });
    const { positionals, values } = given;
    if (positionals[0] !== undefined) throw new UsageError(`"score" takes options only, but was given "${positionals[0]}".`, 'Use --model and --ids.');
    const required = (name: string): string => {
      const value = values.get(name);
      if (value === undefined) throw new UsageError(`"score" needs --${name}.`, '"npm run --silent marft -- score --help" shows how.');
      return value;
    };
    const named = readModel(required('model'));
    const batch = await readIds(required('ids'));
    const temperature = Number(values.get('temperature') ?? 1);
    if (!(temperature > 0)) throw new UsageError('The temperature must be a number above 0.', 'For example --temperature 0.7.');
    const setting = precisionOf(given) ?? 'auto';
    const { backend } = await openBackend(backendOf(given));
    const { source } = await openModel(named, hubAccess(given), () => undefined);
    const config = await readConfig(source);
    const precision = precisionOn(backend, setting);
    // Refused before its weights are asked for.
    const { hiddenSize, intermediateSize } = parseQwenConfig(config);
    backend.suit(hiddenSize * intermediateSize);
    const { readTensor } = await openWeights(source);
    const model = await loadLanguageModel(backend, { config, readTensor }, { precision });
    checkVocabulary(batch, model.shared.config.vocabSize);
    const adapter = values.get('adapter');
    const policy = adapter === undefined ? model.base : await adapted(model, adapter);
    const { logprobs, entropies } = await policy.score(batch, temperature);
    const rows = batch.map((_, i) => ({ logprobs: [...(logprobs[i] ?? [])], entropies: [...(entropies[i] ?? [])] }));
    terminal.print(`${JSON.stringify(rows)}\n`);
    return 0;
  },
};

/** A policy with the adapter of that folder. Throws PlaygroundErrors when it does not fit the model. */
async function adapted(model: QwenModel, folder: string): Promise<Policy> {
  const { lora, parameters } = await openAdapter(folder);
  const policy = await model.createPolicy(lora, 0);
  await policy.restore(parameters);
  return policy;
}

async function readIds(file: string): Promise<TokenSequence[]> {
  let json: unknown;
  try {
    json = JSON.parse(await readFile(join(file), 'utf8'));
  } catch (cause) {
    throw new PlaygroundError('usage', `${file} could not be read as JSON.`, 'It must hold a list of lists of token ids.', { cause });
  }
  const parsed = idsFile.safeParse(json);
  if (!parsed.success) throw new UsageError(`${file} does not hold lists of token ids.`, '"npm run --silent marft -- score --help" shows the format.');
  return parsed.data.map((entry) =>
    Array.isArray(entry)
      ? { prompt: Int32Array.from(entry.slice(0, 1)), tokens: Int32Array.from(entry.slice(1)) }
      : { prompt: Int32Array.from(entry.prompt), tokens: Int32Array.from(entry.tokens) },
  );
}

function checkVocabulary(batch: readonly TokenSequence[], size: number): void {
  for (const { prompt, tokens } of batch) {
    const outside = [...prompt, ...tokens].find((one) => one >= size);
    if (outside !== undefined) throw new UsageError(`The id ${outside} is outside the model's vocabulary of ${size}.`, 'Use the ids of this model\'s tokenizer.');
  }
}
