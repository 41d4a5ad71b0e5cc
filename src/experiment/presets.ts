/** Experiments that are ready to run, by name. */
import type { TeamTemplate } from '../marft/templates.ts';
import { PlaygroundError } from '../runtime/errors.ts';
import { ADDITION_TEAMS } from '../tasks/addition-teams.ts';
import { DUO_ADDITION } from '../tasks/addition.ts';
import { CODE } from '../tasks/code/code.ts';
import { COMPARISON } from '../tasks/comparison.ts';
import { COUNTDOWN } from '../tasks/countdown.ts';
import { DATASET } from '../tasks/dataset/dataset.ts';
import { RELAY } from '../tasks/relay.ts';
import { REVERSING } from '../tasks/reversing.ts';
import { SECRET } from '../tasks/secret.ts';
import { SUGGESTED_TEAMS, suggestedTeam } from '../tasks/teams.ts';
import { WALK } from '../tasks/walk.ts';
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

/** A built-in game with the team that is made for it, on the embedded model that knows them all. */
function game(name: string, title: string, description: string, options: Record<string, unknown> = {}): Preset {
  return { name, title, description, experiment: parseExperiment({ version: 1, name, task: { name, options }, team: suggestedTeam(name), model: 'marft-games' }) };
}

/** Additions of two digits by a team of another shape. */
function addition(template: TeamTemplate, title: string, description: string): Preset {
  const name = `${template}-addition`;
  const experiment = parseExperiment({ version: 1, name, task: { name: DUO_ADDITION, options: { digits: 2 } }, team: ADDITION_TEAMS[template], model: 'marft-games' });
  return { name, title, description, experiment };
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
  game(REVERSING, 'Drafts and checks', 'The drafter turns four digits round, the checker corrects the draft or lets it through. Watch which of the two improves first.', { length: 4 }),
  game(COMPARISON, 'Which side is more?', 'The adder works out both sums, the judge names the larger one. A judge without the sums can only guess: one in three.', { terms: 2 }),
  game(COUNTDOWN, 'Countdown', 'The searcher tries sums of three numbers, the finisher gives the one that reaches the target.', {
    numbers: 3,
  }),
  game(WALK, 'A walk in four turns', 'Only the navigator sees the map, only the walker walks. Each turn the world answers where they are now.'),
  game(RELAY, 'A relay, and who is to be thanked', 'The scout reports a digit among empty words, the courier passes it on, the answerer names it, and the grader errs one time in ten. Compare discounts here.'),
  addition('trio', 'A trio adds', 'A reasoner works, a solver gives the sum, a checker repeats or corrects it. The checker answers.'),
  addition('quad', 'Four add', 'A planner works, a solver gives the sum, a reviewer says whether it is right, a finisher answers.'),
  addition('parallel-judge', 'Three work, one judges', 'Three agents work at the same time without hearing each other; the judge reads all three and answers.'),
  addition('debate', 'A debate of two turns', 'A proposer works, an opponent gives a sum, a judge decides; then all of them once more, having heard it.'),
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
  {
    name: 'code',
    title: 'Qwen writes programs',
    description: 'A real Qwen2.5-Coder, fetched from the Hugging Face Hub (about 1 GB), plans and writes small programs in Python, which are run against tests in a sandbox. Needs a good GPU.',
    experiment: parseExperiment({
      version: 1,
      name: 'code',
      task: { name: CODE, options: { source: 'built-in' } },
      team: { agents: SUGGESTED_TEAMS[CODE] },
      model: 'hub:Qwen/Qwen2.5-Coder-0.5B-Instruct',
      schedule: { iterations: 40, episodes: 16, evalEvery: 10, evalProblems: 12, finalEvalProblems: 24 },
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
