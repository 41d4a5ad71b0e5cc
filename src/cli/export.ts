/** Writes a trained agent as a model of its own: the base with the agent's adapter folded in. */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mergeAdapter } from '../checkpoint/merge-adapter.ts';
import { modelRepositoryFiles } from '../checkpoint/model-repository-writer.ts';
import { openRepository } from '../checkpoint/repository.ts';
import { parseQwenConfig } from '../qwen/config.ts';
import { openAdapter } from './adapter.ts';
import { readArguments, UsageError } from './arguments.ts';
import { HUB_HELP, HUB_OPTIONS, MODEL_HELP, hubAccess, openModel, readModel } from './models.ts';
import type { Command } from './terminal.ts';

const HELP = `Write a trained agent as a model of its own, which Python's transformers loads without PEFT.

Usage: npm run --silent marft -- export --model MODEL --adapter DIR --out DIR

Options:
  --model MODEL       The model that the adapter was trained on: ${MODEL_HELP}.
  --adapter DIR       The agent's adapter in PEFT's format, e.g. runs/first/adapters/solver.
  --out DIR           A new folder for the model. It is written in f32, in one file, and passes through memory whole.
  --help              Show this.
${HUB_HELP}
`;

export const EXPORT_COMMAND: Command = {
  name: 'export',
  summary: 'Write a trained agent as a model of its own.',
  help: HELP,
  async run(args, terminal) {
    const given = readArguments('export', args, { model: 'value', adapter: 'value', out: 'value', ...HUB_OPTIONS });
    if (given.positionals[0] !== undefined) {
      throw new UsageError(`"export" takes options only, but was given "${given.positionals[0]}".`, 'Use --model, --adapter and --out.');
    }
    const required = (name: string): string => {
      const value = given.values.get(name);
      if (value === undefined) throw new UsageError(`"export" needs --${name}.`, '"npm run --silent marft -- export --help" shows how.');
      return value;
    };
    const named = readModel(required('model'));
    const adapter = required('adapter');
    const out = required('out');
    if (existsSync(join(out, 'config.json'))) throw new UsageError(`${out} holds a model already.`, 'Name a new folder: nothing is overwritten.');
    const { lora, parameters } = await openAdapter(adapter);
    const { source, name } = await openModel(named, hubAccess(given), () => undefined);
    const repository = await openRepository(source);
    parseQwenConfig(repository.config);
    const tensors = new Map<string, { dims: number[]; data: Float32Array }>();
    for (const tensor of repository.tensorNames) tensors.set(tensor, await repository.readTensor(tensor));
    for (const [tensor, merged] of mergeAdapter(tensors, parameters, lora)) tensors.set(tensor, merged);
    const files = modelRepositoryFiles({
      config: { ...(repository.config as object), dtype: 'float32', torch_dtype: 'float32' },
      generationConfig: (repository.generationConfig ?? {}) as object,
      tokenizer: repository.tokenizer as object,
      tokenizerConfig: repository.tokenizerConfig as object,
      tensors,
      readme: `# ${name} with an adapter folded in\n\nTrained with MARFT Playground. The adapter: rank ${lora.rank}, α ${lora.alpha}, on ${lora.targets.join(', ')}.\n`,
    });
    await mkdir(out, { recursive: true });
    for (const [file, content] of files) await writeFile(join(out, file), content);
    terminal.print(`Written to ${out}.\n`);
    return 0;
  },
};
