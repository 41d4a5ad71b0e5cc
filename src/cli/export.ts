/** Writes a trained agent as a model of its own: the base with the agent's adapter folded in. */
import { existsSync } from 'node:fs';
import { mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mergeAdapter } from '../checkpoint/merge-adapter.ts';
import { descriptionFiles } from '../checkpoint/model-repository-writer.ts';
import { ONNX_CONFIG, ONNX_FOLDER, ONNX_MODEL, ONNX_WEIGHTS, onnxModel, type OnnxModel } from '../checkpoint/onnx-model.ts';
import { openRepository } from '../checkpoint/repository.ts';
import { writeSafetensors } from '../checkpoint/safetensors.ts';
import type { TensorMap } from '../engine/types.ts';
import { rounded } from '../qwen/base-weights.ts';
import { PRECISIONS, parseQwenConfig, type Precision } from '../qwen/config.ts';
import { openAdapter } from './adapter.ts';
import { readArguments, UsageError, type Arguments } from './arguments.ts';
import { HUB_HELP, HUB_OPTIONS, MODEL_HELP, hubAccess, openModel, readModel } from './models.ts';
import { PRECISION_OPTION, precisionOf } from './precision.ts';
import type { Command } from './terminal.ts';

const FORMATS = ['safetensors', 'onnx', 'both'] as const;
type Format = (typeof FORMATS)[number];

const HELP = `Write a trained agent as a model of its own, which others load without this program.

Usage: npm run --silent marft -- export --model MODEL --adapter DIR --out DIR

Options:
  --model MODEL       The model that the adapter was trained on: ${MODEL_HELP}.
  --adapter DIR       The agent's adapter in PEFT's format, e.g. runs/first/adapters/solver. Without it the
                      model itself is written.
  --precision P       f16 or 4-bit: round the model as that precision did while the adapter was trained, so that what is
                      written is what was trained.
  --out DIR           A new folder for the model. It is written in f32 and passes through memory whole.
  --format FORMAT     safetensors (for Python's transformers; the default), onnx (for transformers.js), or both.
  --help              Show this.
${HUB_HELP}
`;

export const EXPORT_COMMAND: Command = {
  name: 'export',
  summary: 'Write a trained agent as a model of its own.',
  help: HELP,
  async run(args, terminal) {
    const given = readArguments('export', args, { model: 'value', adapter: 'value', out: 'value', format: 'value', ...PRECISION_OPTION, ...HUB_OPTIONS });
    if (given.positionals[0] !== undefined) {
      throw new UsageError(`"export" takes options only, but was given "${given.positionals[0]}".`, 'Use --model, --adapter and --out.');
    }
    const required = (name: string): string => {
      const value = given.values.get(name);
      if (value === undefined) throw new UsageError(`"export" needs --${name}.`, '"npm run --silent marft -- export --help" shows how.');
      return value;
    };
    const named = readModel(required('model'));
    const out = required('out');
    const format = readFormat(given.values.get('format') ?? 'safetensors');
    const precision = readPrecision(given);
    if (existsSync(join(out, 'config.json'))) throw new UsageError(`${out} holds a model already.`, 'Name a new folder: nothing is overwritten.');
    const folder = given.values.get('adapter');
    const adapter = folder === undefined ? null : await openAdapter(folder);
    const { source, name } = await openModel(named, hubAccess(given), () => undefined);
    const repository = await openRepository(source);
    const config = parseQwenConfig(repository.config);
    const tensors: TensorMap = new Map();
    for (const tensor of repository.tensorNames) {
      const { dims, data } = await repository.readTensor(tensor);
      tensors.set(tensor, { dims, data: rounded(tensor, dims, data, precision) });
    }
    if (adapter) for (const [tensor, merged] of mergeAdapter(tensors, adapter.parameters, adapter.lora)) tensors.set(tensor, merged);
    const withOnnx = format !== 'safetensors';
    // Made before anything is written, so that a model that cannot be leaves no half of it.
    const onnx = withOnnx ? onnxModel(config, tensors) : null;
    const files = new Map<string, Uint8Array | string>(
      descriptionFiles({
        config: { ...(repository.config as object), dtype: 'float32', torch_dtype: 'float32', ...(withOnnx ? ONNX_CONFIG : {}) },
        generationConfig: (repository.generationConfig ?? {}) as object,
        tokenizer: repository.tokenizer as object,
        tokenizerConfig: repository.tokenizerConfig as object,
        readme: modelCard(name, adapter?.lora ?? null),
      }),
    );
    if (format !== 'onnx') files.set('model.safetensors', writeSafetensors(tensors));
    await mkdir(out, { recursive: true });
    for (const [file, content] of files) await writeFile(join(out, file), content);
    if (onnx) await writeOnnx(join(out, ONNX_FOLDER), onnx);
    terminal.print(`Written to ${out}.\n`);
    return 0;
  },
};

/** There is no device here whose precision could be taken. */
function readPrecision(given: Arguments): Precision {
  const setting = precisionOf(given) ?? 'f32';
  if (setting === 'auto') throw new UsageError('The precision must be named: "auto" depends on where the adapter was trained.', `There are: ${PRECISIONS.join(', ')}.`);
  return setting;
}

function readFormat(text: string): Format {
  const format = FORMATS.find((one) => one === text);
  if (!format) throw new UsageError(`There is no format "${text}".`, `There are: ${FORMATS.join(', ')}.`);
  return format;
}

function modelCard(name: string, lora: { rank: number; alpha: number; targets: readonly string[] } | null): string {
  if (!lora) return `# ${name}\n\nWritten by MARFT Playground, unchanged.\n`;
  const adapter = `rank ${lora.rank}, α ${lora.alpha}, on ${lora.targets.join(', ')}`;
  return `# ${name} with an adapter folded in\n\nTrained with MARFT Playground. The adapter: ${adapter}.\n`;
}

/** Tensor by tensor: one write takes two gigabytes at most. */
async function writeOnnx(folder: string, { model, weights }: OnnxModel): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, ONNX_MODEL), model);
  const file = await open(join(folder, ONNX_WEIGHTS), 'w');
  try {
    for (const { buffer, byteOffset, byteLength } of weights) await file.writeFile(new Uint8Array(buffer, byteOffset, byteLength));
  } finally {
    await file.close();
  }
}
