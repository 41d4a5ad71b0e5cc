/** Changing D one arrow at a time. */
import { createGame, dependencyMatrix } from '../../marft/game.ts';
import type { TeamSettings } from '../../marft/settings.ts';

/** The team with the arrow from agent i to agent j drawn or cut. Throws a PlaygroundError when it could not play then. */
export function toggleArrow(team: TeamSettings, from: number, to: number): TeamSettings {
  const matrix = dependencyMatrix(team.dependency, team.agents.length);
  const row = matrix[from];
  if (row) row[to] = row[to] !== true;
  const changed = { ...team, dependency: namedDependency(matrix) };
  createGame(changed);
  return changed;
}

/** `chain` or `none` where the matrix is one of them: the same D is then always written the same way. */
export function namedDependency(matrix: boolean[][]): TeamSettings['dependency'] {
  const written = JSON.stringify(matrix);
  for (const name of ['chain', 'none'] as const) {
    if (JSON.stringify(dependencyMatrix(name, matrix.length)) === written) return name;
  }
  return matrix;
}
