/**
 * Teams of other sizes for adding numbers, by the names of `marft/templates.ts`, in words that the embedded model `marft-games` has learnt: for
 * comparing teams of two, three and four agents on one task.
 */
import type { TeamTemplate } from '../marft/templates.ts';
import { ADDITION_TEAM, type SuggestedTeam, type SuggestedAgent } from './teams.ts';

/** Columns of two digits take 16 tokens, of three 25; a sum 5. */
const worker = (name: string): SuggestedAgent => ({ name, profile: `You are the ${name}.`, instruction: 'Add step by step.', role: 'speaks', maxNewTokens: 26 });
const says = (name: string, instruction: string, role: SuggestedAgent['role'] = 'speaks'): SuggestedAgent => ({
  name,
  profile: `You are the ${name}.`,
  instruction,
  role,
  maxNewTokens: 6,
});

export const ADDITION_TEAMS: Readonly<Record<TeamTemplate, SuggestedTeam>> = {
  duo: { agents: ADDITION_TEAM },
  trio: { agents: [worker('reasoner'), says('solver', 'Give the sum.'), says('checker', 'Check the sum.', 'answers')] },
  quad: {
    agents: [worker('planner'), says('solver', 'Give the sum.'), says('reviewer', 'Is the sum right?'), says('finisher', 'Check the sum.', 'answers')],
  },
  'parallel-judge': {
    agents: [worker('first'), worker('second'), worker('third'), says('judge', 'Give the sum.', 'answers')],
    dependency: [
      [false, false, false, true],
      [false, false, false, true],
      [false, false, false, true],
      [false, false, false, false],
    ],
  },
  debate: { agents: [worker('proposer'), says('opponent', 'Give the sum.'), says('judge', 'Check the sum.', 'answers')], horizon: 2 },
};
