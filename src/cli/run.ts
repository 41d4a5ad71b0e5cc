import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { PRECISION_SETTINGS } from '../engine/precision.ts';
import { applyOverrides } from '../experiment/overrides.ts';
import { modelChoice, modelString } from '../experiment/model.ts';
import { PRESET_NAMES } from '../experiment/presets.ts';
import type { Experiment } from '../experiment/schema.ts';
import { readArguments, UsageError, wholeNumber, type Arguments } from './arguments.ts';
import { BACKEND_KINDS, backendOf, DEFAULT_BACKEND } from './backend-kinds.ts';
import { DATA_HELP, DATA_OPTION, withDataFile } from './data.ts';
import { HUB_HELP, HUB_OPTIONS, MODEL_HELP, hubAccess, readModel, type CommandLineModel } from './models.ts';
import { namedExperiment } from './named-experiment.ts';
import { PRECISION_OPTION, precisionOf } from './precision.ts';
import { lockRun } from './run-lock.ts';
import type { Command, Terminal } from './terminal.ts';
import type { RunRequest } from './train.ts';

const HELP = `Train the team of an experiment and write what came of it.

Usage: npm run --silent marft -- run <preset|file.json> [options]
       npm run --silent marft -- run --resume DIR [options]

Presets: ${PRESET_NAMES.join(', ')}.

Options:
  --iterations N      Iterations to train; short for --set schedule.iterations=N.
  --seed S            Seed of everything random; short for --set seed=S.
  --set path=value    Change any field, as often as you like: --set team.dependency=none
                      --set team.agents.0.temperature=0.8 --set algorithm.critic.adapter=null
  --model MODEL       Train on another model: ${MODEL_HELP}.
${DATA_HELP}
  --precision P       Hold the model in ${PRECISION_SETTINGS.join(', ')}; short for --set modelPrecision=P.
  --backend KIND      ${BACKEND_KINDS.join(' or ')}; ${DEFAULT_BACKEND} unless given.
  --memory-limit MB   Play and learn in parts that fit; refuses, before the download, what cannot fit.
  --out DIR           Folder for the results; runs/<name>-seed<S> unless given. An earlier run there is replaced.
  --save-every K      Save the run after every K iterations; 1 unless given.
  --keep-every K      Keep what was saved after every K iterations, to go back to; otherwise only the latest two stay.
  --resume DIR        Go on with the run in DIR from where it was saved last, to the same numbers as if it had never
                      stopped. An experiment that is named as well must be the run's own.
  --at N              With --resume: from iteration N, if that was kept. What came after it is removed.
  --help              Show this.
${HUB_HELP}

Written to DIR:
  experiment.json     The experiment with every field; can be run again.
  metrics.jsonl       One line an iteration.
  transcripts.jsonl   One line an episode: every token with what was computed for it.
  adapters/<agent>/   Each agent's LoRA adapter in PEFT's format.
  checkpoints/        What --resume goes on from.
  result.json         Rewards before and after training on held-out problems.

Ctrl-C ends the run after the iteration it is in and saves it; a second Ctrl-C ends it at once.
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
      'save-every': 'value',
      'keep-every': 'value',
      resume: 'value',
      at: 'value',
      ...DATA_OPTION,
      ...PRECISION_OPTION,
      ...HUB_OPTIONS,
    });
    const resume = given.values.get('resume');
    const at = wholeNumber(given, 'at');
    const out = given.values.get('out');
    if (resume !== undefined && out !== undefined) throw new UsageError('A run goes on in its own folder.', 'Leave out --out.');
    if (resume === undefined && at !== undefined) throw new UsageError('The option --at needs --resume.', 'For example --resume runs/first --at 10.');
    const named = given.values.get('model');
    const model = named === undefined ? null : readModel(named);
    const options = { hub: hubAccess(given), saveEvery: atLeastOne(given, 'save-every') ?? 1, keepEvery: atLeastOne(given, 'keep-every') ?? 0 };
    const limit = memoryLimit(given);
    const backend = given.values.has('backend') ? backendOf(given) : null;
    if (resume === undefined) {
      const experiment = experimentOf(given, model);
      return trainIn(out ?? defaultFolder(experiment), terminal, (folder) => ({
        ...options,
        out: folder,
        experiment,
        model: model ?? modelChoice(experiment.model),
        backend: backend ?? DEFAULT_BACKEND,
        memoryLimit: limit,
        data: given.values.get('data'),
        saved: null,
      }));
    }
    const wanted = given.positionals.length === 0 ? withoutExperiment(given) : experimentOf(given, model);
    if (!existsSync(resume)) throw new UsageError(`There is no folder ${resume}.`, 'Name the folder of a run that has begun.');
    return trainIn(resume, terminal, async (folder) => {
      const { readSavedRun } = await import('./resume.ts');
      const saved = await readSavedRun(folder, at ?? null, wanted, (sentence) => terminal.complain(`${sentence}\n`));
      return {
        ...options,
        out: folder,
        experiment: saved.experiment,
        model: model ?? saved.model,
        backend: backend ?? saved.backend ?? DEFAULT_BACKEND,
        memoryLimit: limit ?? saved.record.memoryLimit ?? undefined,
        data: given.values.get('data') ?? saved.record.data,
        saved,
      };
    });
  },
};

/** Trains in a folder that nobody else writes to meanwhile. */
async function trainIn(out: string, terminal: Terminal, request: (out: string) => RunRequest | Promise<RunRequest>): Promise<number> {
  const unlock = lockRun(out);
  try {
    // ONNX Runtime takes a moment to load; nobody should wait for it to be told of a misspelt option.
    const { train } = await import('./train.ts');
    return await train(await request(out), terminal);
  } finally {
    unlock();
  }
}

/** A run that goes on takes its experiment from what was saved: then nothing of it can be changed. */
function withoutExperiment(given: Arguments): null {
  const change = ['iterations', 'seed', 'precision', 'set'].find((name) => given.values.has(name) || given.lists.has(name));
  if (change !== undefined) throw new UsageError(`A run goes on with the experiment that it was begun with, so --${change} can change nothing.`, 'Leave it out, or start a new run.');
  return null;
}

/** The experiment names a model of the Hub too when --model does; a folder it cannot name. */
function experimentOf(given: Arguments, model: CommandLineModel | null): Experiment {
  const [source, extra] = given.positionals;
  if (source === undefined) throw new UsageError('"run" needs a preset or a file.', `Presets: ${PRESET_NAMES.join(', ')}.`);
  if (extra !== undefined) throw new UsageError(`"run" takes one experiment, but was given "${extra}" as well.`, 'Run them one after the other.');
  const iterations = wholeNumber(given, 'iterations');
  const seed = wholeNumber(given, 'seed');
  const precision = precisionOf(given);
  const data = given.values.get('data');
  const experiment = namedExperiment(source);
  return applyOverrides(data === undefined ? experiment : withDataFile(experiment, data), [
    ...(iterations === undefined ? [] : [`schedule.iterations=${iterations}`]),
    ...(seed === undefined ? [] : [`seed=${seed}`]),
    ...(precision === undefined ? [] : [`modelPrecision=${precision}`]),
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

function atLeastOne(given: Arguments, name: string): number | undefined {
  const number = wholeNumber(given, name);
  if (number !== undefined && number < 1) throw new UsageError(`The option --${name} must be at least 1.`, `For example --${name} 5.`);
  return number;
}

function defaultFolder({ name, seed }: Experiment): string {
  const safe = name.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '') || 'experiment';
  return resolve('runs', `${safe}-seed${seed}`);
}
