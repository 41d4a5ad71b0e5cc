/** Experiments that are ready to run, by name. */
import { PlaygroundError } from '../runtime/errors.ts';
import { DUO_ADDITION } from '../tasks/addition.ts';
import { DATASET } from '../tasks/dataset/dataset.ts';
import { SECRET } from '../tasks/secret.ts';
import { SUGGESTED_TEAMS } from '../tasks/teams.ts';
import { WORD_PROBLEMS } from '../tasks/word-problems.ts';
import { nearestNames } from './schema-tree.ts';
import { parseExperiment, type Experiment } from './schema.ts';

export interface Preset {
  name: string;
  title: string;
  /** One or two sentences: what is trained and what to watch. */
  description: string;
  experiment: Experiment;
}

/** Tokens an utterance of the micro preset may have: on a software GPU every token costs a good part of a second. */
const MICRO_TOKENS = 6;

export const PRESETS: readonly Preset[] = [
  {
    name: 'duo-addition',
    title: 'A duo learns to add',
    description: 'The reasoner writes the columns of an addition, the solver reads them and answers. The reward is 1 for a right sum.',
    experiment: parseExperiment({
      version: 1,
      name: 'duo-addition',
      task: { name: DUO_ADDITION, options: { digits: 2 } },
      team: { agents: SUGGESTED_TEAMS[DUO_ADDITION] },
    }),
  },
  {
    name: 'secret',
    title: 'A secret to pass on',
    description: 'Only the speaker knows the secret digit; the guesser has nothing but its message. Cut the dependency, and the team falls to chance.',
    experiment: parseExperiment({
      version: 1,
      name: 'secret',
      task: { name: SECRET },
      team: { agents: SUGGESTED_TEAMS[SECRET] },
    }),
  },
  {
    name: 'micro-addition',
    title: 'The smallest run',
    description: 'One-digit additions with the smallest model, four episodes and a few tokens each: enough to compare backends, too little to learn.',
    experiment: parseExperiment({
      version: 1,
      name: 'micro-addition',
      task: { name: DUO_ADDITION, options: { digits: 1 } },
      team: { agents: SUGGESTED_TEAMS[DUO_ADDITION]?.map((agent) => ({ ...agent, maxNewTokens: MICRO_TOKENS })) },
      model: 'marft-micro',
      schedule: { iterations: 2, episodes: 4, evalEvery: 0, evalProblems: 8, finalEvalProblems: 8 },
    }),
  },
  {
    name: 'word-problems',
    title: 'Qwen and word problems',
    description: 'A real Qwen2.5, fetched from the Hugging Face Hub (about 1 GB), learns to work out short stories about quantities. Needs a good GPU.',
    experiment: parseExperiment({
      version: 1,
      name: 'word-problems',
      task: { name: WORD_PROBLEMS, options: { steps: 2 } },
      team: { agents: SUGGESTED_TEAMS[WORD_PROBLEMS] },
      model: 'hub:Qwen/Qwen2.5-0.5B-Instruct',
      schedule: { iterations: 40, episodes: 16, evalEvery: 10, evalProblems: 32, finalEvalProblems: 64 },
    }),
  },
  {
    name: 'gsm8k',
    title: 'Qwen and GSM8K',
    description: 'School mathematics in words, 7,473 problems to train on and 1,319 held out (3 MB), with a real Qwen2.5 (about 1 GB), both from the Hugging Face Hub. Needs a good GPU.',
    experiment: parseExperiment({
      version: 1,
      name: 'gsm8k',
      task: { name: DATASET, options: { source: 'gsm8k' } },
      team: { agents: SUGGESTED_TEAMS[DATASET] },
      model: 'hub:Qwen/Qwen2.5-0.5B-Instruct',
      schedule: { iterations: 60, episodes: 16, evalEvery: 10, evalProblems: 32, finalEvalProblems: 64 },
    }),
  },
];

export const PRESET_NAMES: readonly string[] = PRESETS.map(({ name }) => name);

/** The experiment of that preset, a copy of its own. Throws a PlaygroundError for a name that is not one. */
export function presetByName(name: string): Experiment {
  const preset = PRESETS.find((one) => one.name === name);
  if (preset) return structuredClone(preset.experiment);
  const near = nearestNames(name, PRESET_NAMES);
  throw new PlaygroundError(
    'preset-unknown',
    `There is no preset named "${name}".`,
    near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `There are: ${PRESET_NAMES.join(', ')}.`,
  );
}
