import { describe, expect, it } from 'vitest';
import { addAgent, changeAgent, letAnswer, moveAgent, removeAgent } from '../../../../src/app/team/edit-team.ts';
import { presetByName } from '../../../../src/experiment/presets.ts';
import { createGame, dependencyMatrix } from '../../../../src/marft/game.ts';
import type { TeamSettings } from '../../../../src/marft/settings.ts';
import { teamTemplate } from '../../../../src/marft/templates.ts';

const { team: duo } = presetByName('duo-addition');
const names = ({ agents }: TeamSettings): string[] => agents.map(({ name }) => name);
/** Who hears whom, in words that do not depend on the order of agents. */
function hearing({ agents, dependency }: TeamSettings): string[] {
  const matrix = dependencyMatrix(dependency, agents.length);
  return agents.flatMap((one, i) => agents.flatMap((other, j) => (matrix[i]?.[j] ? [`${other.name} hears ${one.name}`] : []))).sort();
}

describe('changing a team', () => {
  it('adds agents before the one that answers, under names that are free, and what comes out can be played', () => {
    const larger = addAgent(addAgent(duo));
    expect(names(larger)).toEqual(['reasoner', 'helper', 'helper-2', 'solver']);
    expect(() => createGame(larger)).not.toThrow();
  });

  it('lets the answering agent, and nobody else, hear one that joins a team with arrows of its own', () => {
    const judged = teamTemplate('parallel-judge');
    const larger = addAgent(judged);
    expect(hearing(larger)).toEqual([...hearing(judged), 'judge hears helper'].sort());
    expect(() => createGame(larger)).not.toThrow();
  });

  it('takes an agent out with its arrows, and the last one left answers', () => {
    const judged = teamTemplate('parallel-judge');
    expect(hearing(removeAgent(judged, 1))).toEqual(['judge hears first', 'judge hears third']);
    const headless = removeAgent(duo, 1);
    expect(headless.agents.map(({ name, role }) => [name, role])).toEqual([['reasoner', 'answers']]);
    expect(() => createGame(headless)).not.toThrow();
  });

  it('moves an agent with its arrows', () => {
    const judged = teamTemplate('parallel-judge');
    const moved = moveAgent(judged, 0, 2);
    expect(names(moved)).toEqual(['second', 'third', 'first', 'judge']);
    expect(hearing(moved)).toEqual(hearing(judged));
  });

  it('lets another agent answer, which then is heard by nobody', () => {
    const debate = letAnswer(teamTemplate('parallel-judge'), 0);
    expect(debate.agents.filter(({ role }) => role === 'answers').map(({ name }) => name)).toEqual(['first']);
    expect(hearing(debate).filter((words) => words.endsWith('hears first'))).toEqual([]);
    expect(() => createGame(debate)).not.toThrow();
  });

  it('changes one agent and leaves the others and what was given alone', () => {
    const changed = changeAgent(duo, 0, { temperature: 0.5 });
    expect(changed.agents[0]?.temperature).toBe(0.5);
    expect(changed.agents[1]).toBe(duo.agents[1]);
    expect(duo.agents[0]?.temperature).toBe(1);
  });
});
