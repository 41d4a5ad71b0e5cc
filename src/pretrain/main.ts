/**
 * `npm run pretrain [-- --model NAME] [--out DIR] [--keep FILE] [--from FILE]`: trains the embedded models and writes them as ordinary Hugging Face
 * repositories. A model that fails its gate is not written. `--keep` writes the weights after the first phase to a file, and `--from` goes on from there with the
 * second one, which is how its rates are tuned.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openFolder } from '../checkpoint/folder-source.ts';
import { modelRepositoryFiles } from '../checkpoint/model-repository-writer.ts';
import { readSafetensors, writeSafetensors } from '../checkpoint/safetensors.ts';
import { loadLanguageModel } from '../engine/model.ts';
import { parseQwenConfig, type QwenConfig } from '../qwen/config.ts';
import { PlaygroundError } from '../runtime/errors.ts';
import { createNodeBackend } from '../runtime/node.ts';
import { createChatTokenizer } from '../tokenizer/chat-tokenizer.ts';
import { trainingBatch } from './corpus.ts';
import { faults, reportTeams } from './gate.ts';
import { modelCard } from './model-card.ts';
import { EMBEDDED_MODELS, type EmbeddedModel } from './models.ts';
import { weightsFrom } from './start-from.ts';
import { MODEL_MAX_LENGTH, type TokenizerFiles } from './tokenizer-files.ts';
import { pretrain } from './train.ts';
import { trainTokenizerFiles } from './train-tokenizer.ts';

const REPORT_EVERY = 50;

/** Where the embedded models lie. */
const MODELS = 'public/models';

interface Places {
  out: string;
  keep: string | undefined;
  from: string | undefined;
}

async function make(model: EmbeddedModel, { out, keep, from }: Places): Promise<void> {
  const { schedule } = model;
  const files = trainTokenizerFiles(schedule.seed, model.corpus);
  const tokenizer = createChatTokenizer(files);
  const configJson = {
    architectures: ['Qwen2ForCausalLM'],
    model_type: 'qwen2',
    ...model.shape,
    vocab_size: files.vocabularySize,
    hidden_act: 'silu',
    rms_norm_eps: 1e-6,
    rope_theta: 10_000,
    max_position_embeddings: MODEL_MAX_LENGTH,
    tie_word_embeddings: true,
    use_sliding_window: false,
    attention_dropout: 0,
    dtype: 'float32',
    ...tokenIds(files.generationConfig),
  };
  const config = parseQwenConfig(configJson);
  const backend = createNodeBackend();
  const start = performance.now();
  let stepsBefore: number | null = null;
  const tensors = await pretrain(
    backend,
    config,
    schedule,
    (phase, step) => trainingBatch(tokenizer, phase, schedule.seed, step, schedule.rows, model.corpus),
    ({ step, steps, phase, loss }) => {
      stepsBefore ??= step - 1;
      if (step % REPORT_EVERY > 0 && step < steps) return;
      const seconds = (performance.now() - start) / 1000;
      const left = (seconds / (step - stepsBefore)) * (steps - step);
      console.log(`${model.name}: step ${step}/${steps} (${phase}), loss ${loss.toFixed(4)} nats a token, ${left.toFixed(0)} s left`);
    },
    {
      ...(from === undefined ? {} : { firstPhase: 1 }),
      ...(await startOf(model, config, files, from)),
      afterPhase: async (phase, weights) => {
        if (keep !== undefined && phase === 'skill') await writeFile(keep, writeSafetensors(weights));
      },
    },
  );
  const languageModel = await loadLanguageModel(backend, {
    config: configJson,
    readTensor: (name) => {
      const tensor = tensors.get(name);
      return tensor ? Promise.resolve(tensor) : Promise.reject(new Error(`pre-training made no ${name}`));
    },
  });
  const report = await reportTeams(languageModel, tokenizer, model.games);
  console.table(report);
  const wrong = model.gated ? faults(model.games, report) : [];
  if (wrong.length > 0) {
    throw new PlaygroundError('gate', `${model.name} is not written: ${wrong.join('; ')}.`, 'Change the corpus or the schedule.');
  }
  const parameters = [...tensors.values()].reduce((sum, { data }) => sum + data.length, 0);
  const folder = join(out, model.name);
  await mkdir(folder, { recursive: true });
  const repository = modelRepositoryFiles({
    config: configJson,
    generationConfig: files.generationConfig,
    tokenizer: files.tokenizer,
    tokenizerConfig: files.tokenizerConfig,
    tensors,
    readme: modelCard(model, parameters, report),
  });
  for (const [name, content] of repository) await writeFile(join(folder, name), content);
  console.log(`${model.name}: ${parameters} parameters written to ${folder}`);
}

/** The weights that training starts from, where these are not random: those of a file, or of another embedded model. */
async function startOf(
  { startsFrom, schedule }: EmbeddedModel,
  config: QwenConfig,
  files: TokenizerFiles,
  from: string | undefined,
): Promise<{ initial?: Record<string, Float32Array> }> {
  if (from !== undefined) {
    return { initial: Object.fromEntries(Array.from(readSafetensors(await readFile(from)), ([name, { data }]) => [name, data])) };
  }
  return startsFrom === null ? {} : { initial: await weightsFrom(openFolder(join(MODELS, startsFrom)), config, files, schedule.seed) };
}

/** The ids of special tokens that config.json repeats from the generation config. */
function tokenIds(generationConfig: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(generationConfig).filter(([key]) => key.endsWith('_token_id')));
}

const { values } = parseArgs({ options: { model: { type: 'string' }, out: { type: 'string', default: MODELS }, keep: { type: 'string' }, from: { type: 'string' } } });
const chosen = EMBEDDED_MODELS.filter(({ name }) => values.model === undefined || values.model === name);
try {
  if (chosen.length === 0) {
    throw new PlaygroundError('usage', `There is no embedded model named "${values.model}".`, `There are: ${EMBEDDED_MODELS.map(({ name }) => name).join(', ')}.`);
  }
  for (const model of chosen) await make(model, { out: values.out, keep: values.keep, from: values.from });
} catch (error) {
  if (!(error instanceof PlaygroundError)) throw error;
  console.error(`${error.message} ${error.hint}`);
  process.exitCode = 1;
}
