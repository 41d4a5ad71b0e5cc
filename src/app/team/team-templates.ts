/** Whole teams to start from, in words that the task's model knows where there are such. */
import type { TeamSettings } from '../../marft/settings.ts';
import { teamTemplate, type TeamTemplate } from '../../marft/templates.ts';
import { DUO_ADDITION } from '../../tasks/addition.ts';
import { ADDITION_TEAMS } from '../../tasks/addition-teams.ts';

export const TEMPLATE_TITLES: Readonly<Record<TeamTemplate, string>> = {
  duo: 'Duo: one works it out, one answers',
  trio: 'Trio: with a checker',
  quad: 'Quad: plan, solve, review, finish',
  'parallel-judge': 'Three side by side and a judge',
  debate: 'Debate of two turns, with a judge',
};

/** A team as `DraftStore.setTeam` takes it; adapters and utterances are as large as those of the team that it replaces. */
export function templateFor(name: TeamTemplate, task: string, team: TeamSettings): object {
  const { roles } = team;
  const [like] = team.agents;
  const adapter = like ? { adapter: like.adapter } : {};
  if (task === DUO_ADDITION) {
    const suggested = ADDITION_TEAMS[name];
    return { ...suggested, roles, agents: suggested.agents.map((agent) => ({ ...agent, ...adapter })) };
  }
  const chosen = teamTemplate(name);
  const maxNewTokens = Math.max(...team.agents.map((agent) => agent.maxNewTokens));
  return { ...chosen, roles, agents: chosen.agents.map((agent) => ({ ...agent, ...adapter, maxNewTokens })) };
}
