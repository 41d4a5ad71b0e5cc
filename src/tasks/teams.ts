/**
 * The team that a task is made for: as much of an agent's settings as the task decides. The texts are short on purpose,
 * because reading prompts is most of an iteration's cost; the embedded model has learnt these very words.
 */
import type { AgentSettings } from '../marft/settings.ts';
import { DUO_ADDITION } from './addition.ts';
import { DATASET } from './dataset/dataset.ts';
import { SECRET } from './secret.ts';
import { WORD_PROBLEMS } from './word-problems.ts';

export type SuggestedAgent = Pick<AgentSettings, 'name' | 'profile' | 'instruction' | 'role' | 'maxNewTokens'>;

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

/** Suggested teams by task name. */
export const SUGGESTED_TEAMS: Record<string, readonly SuggestedAgent[]> = {
  [DUO_ADDITION]: ADDITION_TEAM,
  [SECRET]: SECRET_TEAM,
  [WORD_PROBLEMS]: WORD_PROBLEMS_TEAM,
  [DATASET]: DATASET_TEAM,
};
