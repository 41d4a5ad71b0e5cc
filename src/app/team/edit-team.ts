/** Changes to a team as a whole. Whether the result can be played is for `createGame` to say. */
import { dependencyMatrix } from '../../marft/game.ts';
import { agentSchema, type AgentSettings, type TeamSettings } from '../../marft/settings.ts';
import { namedDependency } from '../logic/dependency.ts';

/** As many as the schema takes. */
export const MAX_AGENTS = 8;

/** A new agent just before the one that answers: it hears nobody, and the answering agent hears it unless D is `none`. */
export function addAgent(team: TeamSettings): TeamSettings {
  const names = team.agents.map(({ name }) => name);
  const name = freeName(names);
  const [like] = team.agents;
  const agent = agentSchema.parse({
    ...(like ? { adapter: like.adapter, maxNewTokens: like.maxNewTokens } : {}),
    name,
    profile: `You are the ${name}.`,
    role: 'speaks',
  });
  const answerer = answererOf(team);
  const agents = team.agents.toSpliced(answerer, 0, agent);
  if (typeof team.dependency === 'string') return { ...team, agents };
  const matrix = dependencyMatrix(team.dependency, team.agents.length);
  const wider = matrix.map((row) => row.toSpliced(answerer, 0, false));
  const hears = agents.map((_, index) => index === answerer + 1);
  return { ...team, agents, dependency: namedDependency(wider.toSpliced(answerer, 0, hears)) };
}

/** The team without that agent and its row and column of D; if it answered, the last one left does. */
export function removeAgent(team: TeamSettings, agent: number): TeamSettings {
  const agents = team.agents.toSpliced(agent, 1);
  const matrix = dependencyMatrix(team.dependency, team.agents.length);
  const dependency =
    typeof team.dependency === 'string'
      ? team.dependency
      : namedDependency(matrix.toSpliced(agent, 1).map((row) => row.toSpliced(agent, 1)));
  const left = { ...team, agents, dependency };
  return agents.some(({ role }) => role === 'answers') ? left : letAnswer(left, agents.length - 1);
}

/**
 * The agent at another place of the list. Arrows move with it, except in a chain, which stays one: there the order is who hears whom.
 */
export function moveAgent(team: TeamSettings, from: number, to: number): TeamSettings {
  const order = moved([...team.agents.keys()], from, to);
  return { ...team, ...reordered(team, order) };
}

/**
 * That agent answers instead of the one that did. In a chain it moves to the end; elsewhere its arrows to others are turned round, since
 * nobody can hear an answer.
 */
export function letAnswer(team: TeamSettings, agent: number): TeamSettings {
  const agents = team.agents.map((one, index): AgentSettings => ({ ...one, role: index === agent ? 'answers' : 'speaks' }));
  if (team.dependency === 'chain') return moveAgent({ ...team, agents }, agent, agents.length - 1);
  const matrix = dependencyMatrix(team.dependency, agents.length);
  const heardBy = matrix[agent] ?? [];
  const turned = matrix.map((row, from) =>
    from === agent ? row.map(() => false) : row.map((on, to) => on || (to === agent && heardBy[from] === true)),
  );
  return { ...team, agents, dependency: namedDependency(turned) };
}

/** The agent with some of its settings changed; D stays. */
export function changeAgent(team: TeamSettings, agent: number, change: Partial<AgentSettings>): TeamSettings {
  return { ...team, agents: team.agents.map((one, index) => (index === agent ? { ...one, ...change } : one)) };
}

function reordered(team: TeamSettings, order: readonly number[]): Pick<TeamSettings, 'agents' | 'dependency'> {
  const agents = order.flatMap((index) => team.agents.slice(index, index + 1));
  if (typeof team.dependency === 'string') return { agents, dependency: team.dependency };
  const matrix = dependencyMatrix(team.dependency, team.agents.length);
  return { agents, dependency: namedDependency(order.map((i) => order.map((j) => matrix[i]?.[j] === true))) };
}

function moved(list: readonly number[], from: number, to: number): number[] {
  return list.toSpliced(from, 1).toSpliced(to, 0, ...list.slice(from, from + 1));
}

function answererOf({ agents }: TeamSettings): number {
  const found = agents.findIndex(({ role }) => role === 'answers');
  return found < 0 ? agents.length : found;
}

/** A helper's name that nobody has. */
function freeName(taken: readonly string[]): string {
  if (!taken.includes('helper')) return 'helper';
  let number = 2;
  while (taken.includes(`helper-${number}`)) number++;
  return `helper-${number}`;
}
