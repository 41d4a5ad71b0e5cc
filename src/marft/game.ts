/**
 * The game's structure: who hears whom and who acts when (Flex-MG of MARFT, arXiv 2504.16129, section 3: the dependency
 * function D). `D[i][j]` true means that agent j's prompt contains agent i's utterance.
 */
import { PlaygroundError } from '../runtime/errors.ts';
import { at } from './arrays.ts';
import type { AgentSettings, TeamSettings } from './settings.ts';

export interface Game {
  readonly agents: readonly AgentSettings[];
  readonly roles: TeamSettings['roles'];
  /** D, `[agents][agents]`. */
  readonly dependency: readonly (readonly boolean[])[];
  /** Agents by when they act; those of one layer act concurrently on the same snapshot. */
  readonly layers: readonly (readonly number[])[];
  /** All agents in generation order: the layers one after the other, the answering agent last. */
  readonly order: readonly number[];
  /** The answering agent's index. */
  readonly answerer: number;
  /** Turns of an episode, at most. */
  readonly horizon: number;
}

/** Metric namespaces that an agent's own (`<name>/entropy`) must not run into. */
const RESERVED_NAMES: readonly string[] = ['reward', 'eval', 'critic', 'rollout', 'train', 'time', 'sampling', 'mem'];

/** The game that a team plays. Throws a PlaygroundError for a team that cannot be played. */
export function createGame(team: TeamSettings): Game {
  refuseUnusableNames(team.agents);
  const dependency = dependencyMatrix(team.dependency, team.agents.length);
  const answerer = answeringAgent(team.agents, dependency);
  const layers = topologicalLayers(dependency, answerer);
  return { agents: team.agents, roles: team.roles, dependency, layers, order: layers.flat(), answerer, horizon: team.horizon };
}

/** D as a matrix `[agents][agents]`; throws a PlaygroundError when it has another size or an agent hears itself. */
export function dependencyMatrix(dependency: TeamSettings['dependency'], agents: number): boolean[][] {
  if (dependency === 'none' || dependency === 'chain') {
    const indices = Array.from({ length: agents }, (_, index) => index);
    return indices.map((i) => indices.map((j) => dependency === 'chain' && i < j));
  }
  if (dependency.length !== agents || dependency.some((row) => row.length !== agents)) {
    throw new PlaygroundError(
      'team-dependency-size',
      `The dependency matrix is not ${agents} × ${agents}.`,
      'Give it one row and one column per agent, or choose "chain" or "none".',
    );
  }
  const selfish = dependency.findIndex((row, i) => row[i] === true);
  if (selfish >= 0) {
    throw new PlaygroundError(
      'team-dependency-self',
      `Agent ${selfish + 1} depends on its own utterance.`,
      'Clear the diagonal of the dependency matrix.',
    );
  }
  return dependency.map((row) => [...row]);
}

/**
 * Agents by the length of the longest chain of utterances they wait for. The answering agent acts in the last layer,
 * even where it hears nobody, so that nothing is said after the reward is fixed. Throws a PlaygroundError on a cycle.
 */
export function topologicalLayers(dependency: readonly (readonly boolean[])[], answerer: number): number[][] {
  const layers: number[][] = [];
  let waiting = dependency.map((_, index) => index);
  while (waiting.length > 0) {
    const ready = waiting.filter((j) => !waiting.some((i) => at(at(dependency, i), j)));
    if (ready.length === 0) {
      throw new PlaygroundError(
        'team-dependency-cycle',
        `Agents ${waiting.map((index) => index + 1).join(', ')} wait for each other in a circle.`,
        'Remove one of the dependencies between them.',
      );
    }
    layers.push(ready.filter((index) => index !== answerer));
    waiting = waiting.filter((index) => !ready.includes(index));
  }
  const speaking = layers.filter((layer) => layer.length > 0);
  const hearsLast = speaking.at(-1)?.some((i) => at(at(dependency, i), answerer)) ?? true;
  if (hearsLast) return [...speaking, [answerer]];
  return [...speaking.slice(0, -1), [...(speaking.at(-1) ?? []), answerer]];
}

/** The agents that agent j hears, in generation order. */
export function parentsOf(game: Game, agent: number): number[] {
  return game.order.filter((other) => at(at(game.dependency, other), agent));
}

/**
 * The agents whose earlier turns agent j is shown: itself and its neighbours in D. From one turn to the next an edge carries both ways,
 * or else nobody could take up what came of their words; where D is cut, nothing passes in any turn.
 */
export function remembersOf(game: Game, agent: number): number[] {
  const linked = (a: number, b: number): boolean => at(at(game.dependency, a), b) || at(at(game.dependency, b), a);
  return game.order.filter((other) => other === agent || linked(other, agent));
}

function answeringAgent(agents: readonly AgentSettings[], dependency: readonly (readonly boolean[])[]): number {
  const answering = agents.flatMap((agent, index) => (agent.role === 'answers' ? [index] : []));
  const [answerer] = answering;
  if (answerer === undefined || answering.length > 1) {
    throw new PlaygroundError(
      'team-answering',
      `A team needs exactly one answering agent; this one has ${answering.length}.`,
      'Give one agent the role "answers" and all others "speaks".',
    );
  }
  const listener = at(dependency, answerer).indexOf(true);
  if (listener >= 0) {
    throw new PlaygroundError(
      'team-answer-last',
      `"${at(agents, listener).name}" would speak after "${at(agents, answerer).name}" has answered, when the reward is fixed.`,
      'Put the answering agent last, or let nobody depend on it.',
    );
  }
  return answerer;
}

function refuseUnusableNames(agents: readonly AgentSettings[]): void {
  const names = agents.map((agent) => agent.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new PlaygroundError('team-names', `Two agents are called "${twice}".`, 'Give every agent a name of its own.');
  }
  const reserved = names.find((name) => RESERVED_NAMES.includes(name));
  if (reserved !== undefined) {
    throw new PlaygroundError(
      'team-names',
      `An agent cannot be called "${reserved}", because metrics of that name exist.`,
      'Choose another name, for example "reviewer".',
    );
  }
}
