/** A team to be asked or examined: an experiment's, as its base model plays it and, where there are adapters, as it was trained. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Policy } from '../engine/types.ts';
import { modelChoice, modelString } from '../experiment/model.ts';
import { applyOverrides } from '../experiment/overrides.ts';
import { parseExperiment, type Experiment } from '../experiment/schema.ts';
import { openSession, type Session } from '../experiment/session.ts';
import { at } from '../marft/arrays.ts';
import { PlaygroundError } from '../runtime/errors.ts';
import { openAdapter } from './adapter.ts';
import { UsageError, type Arguments } from './arguments.ts';
import { backendOf } from './backend-kinds.ts';
import { openBackend } from './backend.ts';
import { commandLineServices, DATA_HELP, DATA_OPTION, withDataFile } from './data.ts';
import { HUB_HELP, HUB_OPTIONS, MODEL_HELP, hubAccess, openModel, readModel, type CommandLineModel } from './models.ts';
import { namedExperiment, readDocument } from './named-experiment.ts';

export const TEAM_OPTIONS = { adapters: 'value', model: 'value', backend: 'value', set: 'values', ...DATA_OPTION, ...HUB_OPTIONS } as const;

export const TEAM_HELP = `  --adapters DIR      A folder with an adapter per agent, DIR/<agent>; a run's own unless given.
  --model MODEL       The model that they were trained on: ${MODEL_HELP};
                      the experiment's unless given.
  --backend NAME      cpu or webgpu; cpu unless given.
  --set path=value    Change a field of the experiment, as often as you like.
${DATA_HELP}
${HUB_HELP}`;

type Player = Pick<Policy, 'generate'>;

export interface Team {
  session: Session;
  /** One per agent: the base model for all of them. */
  base: readonly Player[];
  /** One per agent, with its adapter; null where there are none. */
  trained: readonly Player[] | null;
}

/** What the only argument names: a run's folder, a preset or a file, with --set. Throws PlaygroundErrors for what cannot be. */
export function experimentToOpen(command: string, given: Arguments): { experiment: Experiment; adapters: string | null; model: CommandLineModel } {
  const [source, extra] = given.positionals;
  if (source === undefined || extra !== undefined) throw new UsageError(`"${command}" takes one run's folder, preset or file.`, `"npm run --silent marft -- ${command} --help" shows how.`);
  const ofRun = join(source, 'experiment.json');
  const isRun = existsSync(ofRun);
  const named = given.values.get('model');
  const model = named === undefined ? null : readModel(named);
  const data = given.values.get('data');
  const written = isRun ? parseExperiment(readDocument(ofRun)) : namedExperiment(source);
  const experiment = applyOverrides(data === undefined ? written : withDataFile(written, data), [
    ...(given.lists.get('set') ?? []),
    ...(model === null || model.kind === 'folder' ? [] : [`model=${modelString(model)}`]),
  ]);
  return { experiment, adapters: given.values.get('adapters') ?? (isRun ? join(source, 'adapters') : null), model: model ?? modelChoice(experiment.model) };
}

/** Loads model and adapters. The session is the caller's to dispose of. */
export async function openTeam({ experiment, adapters, model }: ReturnType<typeof experimentToOpen>, given: Arguments): Promise<Team> {
  const folders = experiment.team.agents.map(({ name }) => (adapters === null ? null : agentFolder(adapters, name)));
  const backend = await openBackend(backendOf(given));
  const { source, name } = await openModel(model, hubAccess(given), () => undefined);
  const session = await openSession(experiment, { ...backend, source, baseName: name, services: commandLineServices(hubAccess(given), given.values.get('data')) }, () => undefined);
  try {
    const { policies } = session.trainer;
    for (const [agent, folder] of folders.entries()) {
      if (folder !== null) await at(policies, agent).restore((await openAdapter(folder)).parameters);
    }
    return { session, base: policies.map(() => session.model.base), trained: adapters === null ? null : policies };
  } catch (error) {
    session.dispose();
    throw error;
  }
}

function agentFolder(adapters: string, agent: string): string {
  const folder = join(adapters, agent);
  if (existsSync(folder)) return folder;
  throw new PlaygroundError('adapter-missing', `There is no adapter of "${agent}" in ${adapters}.`, 'Give a folder that has one for every agent, or wait for the run to end.');
}
