/** Teams by name, to start from: who there is, who hears whom, and how many turns they take. */
import { teamSchema, type TeamSettings } from './settings.ts';

interface Member {
  name: string;
  instruction: string;
  /** Names of those whose utterances this one reads in the same turn. */
  hears: readonly string[];
}

interface Template {
  /** In generation order; the last one answers. */
  members: readonly Member[];
  horizon: number;
}

const TEMPLATES = {
  duo: {
    horizon: 1,
    members: [
      { name: 'reasoner', instruction: 'Work it out step by step.', hears: [] },
      { name: 'solver', instruction: 'Give the answer.', hears: ['reasoner'] },
    ],
  },
  trio: {
    horizon: 1,
    members: [
      { name: 'reasoner', instruction: 'Work it out step by step.', hears: [] },
      { name: 'solver', instruction: 'Propose an answer.', hears: ['reasoner'] },
      { name: 'checker', instruction: 'Check the work. Repeat the right answer or correct it.', hears: ['reasoner', 'solver'] },
    ],
  },
  quad: {
    horizon: 1,
    members: [
      { name: 'planner', instruction: 'Say how to go about it.', hears: [] },
      { name: 'solver', instruction: 'Follow the plan.', hears: ['planner'] },
      { name: 'reviewer', instruction: 'Say what is wrong with it.', hears: ['planner', 'solver'] },
      { name: 'finisher', instruction: 'Give the answer.', hears: ['planner', 'solver', 'reviewer'] },
    ],
  },
  'parallel-judge': {
    horizon: 1,
    members: [
      { name: 'first', instruction: 'Work it out.', hears: [] },
      { name: 'second', instruction: 'Work it out.', hears: [] },
      { name: 'third', instruction: 'Work it out.', hears: [] },
      { name: 'judge', instruction: 'Choose the best answer and give it.', hears: ['first', 'second', 'third'] },
    ],
  },
  debate: {
    horizon: 2,
    members: [
      { name: 'proposer', instruction: 'Propose an answer and defend it.', hears: [] },
      { name: 'opponent', instruction: 'Find its weakness and propose a better one.', hears: ['proposer'] },
      { name: 'judge', instruction: 'Give the answer that stands.', hears: ['proposer', 'opponent'] },
    ],
  },
} satisfies Record<string, Template>;

export type TeamTemplate = keyof typeof TEMPLATES;

export const TEAM_TEMPLATES = Object.keys(TEMPLATES) as TeamTemplate[];

/** The team of that name, everything else at its default; the last agent answers. */
export function teamTemplate(name: TeamTemplate): TeamSettings {
  const { members, horizon }: Template = TEMPLATES[name];
  return teamSchema.parse({
    horizon,
    agents: members.map(({ name: agent, instruction }, k) => ({
      name: agent,
      profile: `You are the ${agent}.`,
      instruction,
      role: k === members.length - 1 ? 'answers' : 'speaks',
    })),
    dependency: members.map(({ name: speaker }) => members.map(({ hears }) => hears.includes(speaker))),
  });
}
