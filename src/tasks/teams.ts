/** The team that a task is made for: as much of an agent's settings as the task decides. Texts are short on purpose: most of an iteration's cost is reading prompts. */
import type { AgentSettings } from '../marft/settings.ts';
import { DUO_ADDITION } from './addition.ts';
import { SECRET } from './secret.ts';

export type SuggestedAgent = Pick<AgentSettings, 'name' | 'profile' | 'instruction' | 'role' | 'maxNewTokens'>;

/** Suggested teams by task name. */
export const SUGGESTED_TEAMS: Record<string, readonly SuggestedAgent[]> = {
  [DUO_ADDITION]: [
    { name: 'reasoner', profile: 'You add column by column.', instruction: 'Show your work.', role: 'speaks', maxNewTokens: 24 },
    { name: 'solver', profile: 'You read the work.', instruction: 'Give the sum.', role: 'answers', maxNewTokens: 6 },
  ],
  [SECRET]: [
    { name: 'speaker', profile: 'You know the secret.', instruction: 'Tell the secret.', role: 'speaks', maxNewTokens: 8 },
    { name: 'guesser', profile: 'You listen well.', instruction: 'Name the digit.', role: 'answers', maxNewTokens: 4 },
  ],
};
