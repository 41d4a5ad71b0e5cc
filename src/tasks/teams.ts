/**
 * The team that a task is made for: as much of an agent's settings as the task decides. The texts are short on purpose,
 * because reading prompts is most of an iteration's cost; the embedded model has learnt these very words.
 */
import type { AgentSettings, TeamSettings } from '../marft/settings.ts';
import { DUO_ADDITION } from './addition.ts';
import { CODE } from './code/code.ts';
import { COMPARISON } from './comparison.ts';
import { COUNTDOWN } from './countdown.ts';
import { DATASET } from './dataset/dataset.ts';
import { RELAY } from './relay.ts';
import { REVERSING } from './reversing.ts';
import { SECRET } from './secret.ts';
import { WALK } from './walk.ts';
import { WORD_PROBLEMS } from './word-problems.ts';

export type SuggestedAgent = Pick<AgentSettings, 'name' | 'profile' | 'instruction' | 'role' | 'maxNewTokens'>;

/** A whole team, where it is not a chain that plays one turn. */
export interface SuggestedTeam {
  agents: readonly SuggestedAgent[];
  dependency?: TeamSettings['dependency'];
  horizon?: number;
}

/** Adding numbers: the longest scratch work, of three digits, takes 25 tokens of the embedded model; an answer 5. */
export const ADDITION_TEAM: readonly SuggestedAgent[] = [
  { name: 'reasoner', profile: 'You are the reasoner.', instruction: 'Add step by step.', role: 'speaks', maxNewTokens: 26 },
  { name: 'solver', profile: 'You are the solver.', instruction: 'Give the sum.', role: 'answers', maxNewTokens: 6 },
];

/** Passing on a secret: a message takes 5 tokens of the embedded model, an answer 2. */
export const SECRET_TEAM: readonly SuggestedAgent[] = [
  { name: 'speaker', profile: 'You are the speaker.', instruction: 'Tell the secret.', role: 'speaks', maxNewTokens: 8 },
  { name: 'guesser', profile: 'You are the guesser.', instruction: 'Name the digit.', role: 'answers', maxNewTokens: 4 },
];

/** Strings of up to five digits, drafted and checked. */
export const REVERSING_TEAM: readonly SuggestedAgent[] = [
  { name: 'drafter', profile: 'You are the drafter.', instruction: 'Write a draft.', role: 'speaks', maxNewTokens: 8 },
  { name: 'checker', profile: 'You are the checker.', instruction: 'Check the draft.', role: 'answers', maxNewTokens: 8 },
];

/** Comparing sums: an adder writes both, a judge names the larger. */
export const COMPARISON_TEAM: readonly SuggestedAgent[] = [
  { name: 'adder', profile: 'You are the adder.', instruction: 'Add both sides.', role: 'speaks', maxNewTokens: 8 },
  { name: 'judge', profile: 'You are the judge.', instruction: 'Which is more?', role: 'answers', maxNewTokens: 3 },
];

/** Reaching a number: at most four sums of three numbers are tried, 9 tokens of the embedded model each. */
export const COUNTDOWN_TEAM: readonly SuggestedAgent[] = [
  { name: 'searcher', profile: 'You are the searcher.', instruction: 'Try sums.', role: 'speaks', maxNewTokens: 40 },
  { name: 'finisher', profile: 'You are the finisher.', instruction: 'Give the sum that fits.', role: 'answers', maxNewTokens: 8 },
];

/** Walking to a flag: a word each a turn. */
export const WALK_TEAM: readonly SuggestedAgent[] = [
  { name: 'navigator', profile: 'You are the navigator.', instruction: 'Say where to go.', role: 'speaks', maxNewTokens: 4 },
  { name: 'walker', profile: 'You are the walker.', instruction: 'Take a step.', role: 'answers', maxNewTokens: 3 },
];

/** Passing a digit on among words that mean nothing: up to 16 of them for the embedded model. */
export const RELAY_TEAM: readonly SuggestedAgent[] = [
  { name: 'scout', profile: 'You are the scout.', instruction: 'Report.', role: 'speaks', maxNewTokens: 20 },
  { name: 'courier', profile: 'You are the courier.', instruction: 'Pass it on.', role: 'speaks', maxNewTokens: 20 },
  { name: 'answerer', profile: 'You are the answerer.', instruction: 'Name the digit.', role: 'answers', maxNewTokens: 3 },
];

/** Word problems, for a model that can read: a few sentences of work, then the number. */
export const WORD_PROBLEMS_TEAM: readonly SuggestedAgent[] = [
  {
    name: 'reasoner',
    profile: 'You are a careful mathematician who explains every step.',
    instruction: 'Work the problem out step by step. Do not give the final answer.',
    role: 'speaks',
    maxNewTokens: 160,
  },
  {
    name: 'solver',
    profile: 'You are a careful mathematician who gives final answers.',
    instruction: 'Use the work above and give the final number as \\boxed{number}.',
    role: 'answers',
    maxNewTokens: 48,
  },
];

/** Problems of a data set, for a model that can reason: GSM8K's solutions take some 150 tokens, competition problems several times that. */
export const DATASET_TEAM: readonly SuggestedAgent[] = [
  {
    name: 'reasoner',
    profile: 'You are a careful mathematician who explains every step.',
    instruction: 'Work the problem out step by step. Do not give the final answer.',
    role: 'speaks',
    maxNewTokens: 256,
  },
  {
    name: 'solver',
    profile: 'You are a careful mathematician who gives final answers.',
    instruction: 'Use the work above and give the final answer as \\boxed{answer}.',
    role: 'answers',
    maxNewTokens: 64,
  },
];

/** Programs, for a model that can write them: a plan in a few sentences, then code; a contest's solution has some 300 tokens. */
export const CODE_TEAM: readonly SuggestedAgent[] = [
  {
    name: 'planner',
    profile: 'You are a careful programmer who plans before writing.',
    instruction: 'Say in a few sentences how the problem can be solved. Do not write the program.',
    role: 'speaks',
    maxNewTokens: 160,
  },
  {
    name: 'coder',
    profile: 'You are a careful programmer who writes short programs that work.',
    instruction: 'Use the plan above and write the whole program in one block between lines of ```.',
    role: 'answers',
    maxNewTokens: 384,
  },
];

/** Suggested teams by task name. */
export const SUGGESTED_TEAMS: Record<string, readonly SuggestedAgent[]> = {
  [DUO_ADDITION]: ADDITION_TEAM,
  [SECRET]: SECRET_TEAM,
  [REVERSING]: REVERSING_TEAM,
  [COMPARISON]: COMPARISON_TEAM,
  [COUNTDOWN]: COUNTDOWN_TEAM,
  [WALK]: WALK_TEAM,
  [RELAY]: RELAY_TEAM,
  [WORD_PROBLEMS]: WORD_PROBLEMS_TEAM,
  [DATASET]: DATASET_TEAM,
  [CODE]: CODE_TEAM,
};

/** The whole suggested team of a task; an empty one for a task that suggests none. */
export function suggestedTeam(task: string): SuggestedTeam {
  return { agents: SUGGESTED_TEAMS[task] ?? [], ...SHAPES[task] };
}

const SHAPES: Record<string, Omit<SuggestedTeam, 'agents'>> = {
  [WALK]: { horizon: 4 },
  // The answerer must not hear the scout, or the courier would not be needed.
  [RELAY]: {
    dependency: [
      [false, true, false],
      [false, false, true],
      [false, false, false],
    ],
  },
};
