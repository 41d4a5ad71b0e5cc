import { resolve } from 'node:path';
import { applyOverrides } from '../experiment/overrides.ts';
import { modelChoice, modelString } from '../experiment/model.ts';
import { PRESET_NAMES } from '../experiment/presets.ts';
import type { Experiment } from '../experiment/schema.ts';
import { readArguments, UsageError, wholeNumber, type Arguments } from './arguments.ts';
import { BACKEND_KINDS, backendOf } from './backend-kinds.ts';
import { HUB_HELP, HUB_OPTIONS, MODEL_HELP, hubAccess, readModel, type CommandLineModel } from './models.ts';
import { namedExperiment } from './named-experiment.ts';
import type { Command } from './terminal.ts';
import type { RunRequest } from './train.ts';

const HELP = `Train the team of an experiment and write what came of it.

Usage: npm run --silent marft -- run <preset|file.json> [options]

Presets: ${PRESET_NAMES.join(', ')}.

Options:
  --iterations N      Iterations to train; short for --set schedule.iterations=N.
  --seed S            Seed of everything random; short for --set seed=S.
  --set path=value    Change any field, as often as you like: --set team.dependency=none
                      --set team.agents.0.temperature=0.8 --set algorithm.critic.adapter=null
  --model MODEL       Train on another model: ${MODEL_HELP}.
  --backend KIND      ${BACKEND_KINDS.join(' or ')}; cpu unless given.
  --memory-limit MB   Play and learn in parts that fit; refuses, before the download, what cannot fit.
  --out DIR           Folder for the results; runs/<name>-seed<S> unless given. An earlier run there is replaced.
  --help              Show this.
${HUB_HELP}

Written to DIR:
  experiment.json     The experiment with every field; can be run again.
  metrics.jsonl       One line an iteration.
  transcripts.jsonl   One line an episode: every token with what was computed for it.
  adapters/<agent>/   Each agent's LoRA adapter in PEFT's format.
  result.json         Rewards before and after training on held-out problems.

Ctrl-C ends the run after the iteration it is in and keeps what was learned; a second Ctrl-C ends it at once.
`;

export const RUN_COMMAND: Command = {
  name: 'run',
  summary: 'Train the team of an experiment and write what came of it.',
  help: HELP,
  async run(args, terminal) {
    const given = readArguments('run', args, {
      iterations: 'value',
      seed: 'value',
      set: 'values',
      model: 'value',
      backend: 'value',
      out: 'value',
      'memory-limit': 'value',
      ...HUB_OPTIONS,
    });
    const named = given.values.get('model');
    const model = named === undefined ? null : readModel(named);
    const experiment = experimentOf(given, model);
    const request: RunRequest = {
      experiment,
      model: model ?? modelChoice(experiment.model),
      hub: hubAccess(given),
      backend: backendOf(given),
      memoryLimit: memoryLimit(given),
      out: given.values.get('out') ?? defaultFolder(experiment),
    };
    // ONNX Runtime takes a moment to load; nobody should wait for it to be told of a misspelt option.
    const { train } = await import('./train.ts');
    return train(request, terminal);
  },
};

/** The experiment names a model of the Hub too when --model does; a folder it cannot name. */
function experimentOf(given: Arguments, model: CommandLineModel | null): Experiment {
  const [source, extra] = given.positionals;
  if (source === undefined) throw new UsageError('"run" needs a preset or a file.', `Presets: ${PRESET_NAMES.join(', ')}.`);
  if (extra !== undefined) throw new UsageError(`"run" takes one experiment, but was given "${extra}" as well.`, 'Run them one after the other.');
  const iterations = wholeNumber(given, 'iterations');
  const seed = wholeNumber(given, 'seed');
  return applyOverrides(namedExperiment(source), [
    ...(iterations === undefined ? [] : [`schedule.iterations=${iterations}`]),
    ...(seed === undefined ? [] : [`seed=${seed}`]),
    ...(given.lists.get('set') ?? []),
    ...(model === null || model.kind === 'folder' ? [] : [`model=${modelString(model)}`]),
  ]);
}

/** In bytes. */
function memoryLimit(given: Arguments): number | undefined {
  const limit = wholeNumber(given, 'memory-limit');
  if (limit !== undefined && limit < 1) throw new UsageError('The memory limit must be at least 1 MB.', 'For example --memory-limit 4000.');
  return limit === undefined ? undefined : limit * 1e6;
}

function defaultFolder({ name, seed }: Experiment): string {
  const safe = name.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '') || 'experiment';
  return resolve('runs', `${safe}-seed${seed}`);
}
