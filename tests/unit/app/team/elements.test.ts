import { describe, expect, it } from 'vitest';
import { layOut } from '../../../../src/app/logic/diagram.ts';
import { edgesOf } from '../../../../src/app/team/graph/elements.ts';
import { createGame } from '../../../../src/marft/game.ts';
import { TEAM_TEMPLATES, teamTemplate } from '../../../../src/marft/templates.ts';

describe('graph of a team', () => {
  it.each(TEAM_TEMPLATES)('has one arrow for every 1 in the D of %s, and one answer', (name) => {
    const game = createGame(teamTemplate(name));
    const edges = edgesOf(game, layOut(game));
    const ones = game.dependency.flatMap((row, i) => row.flatMap((on, j) => (on ? [`${i}-${j}`] : [])));
    expect(edges.filter(({ type }) => type === 'arrow').map(({ id }) => id).sort()).toEqual(ones.sort());
    expect(edges.filter(({ target }) => target === 'answer').map(({ source }) => source)).toEqual([String(game.answerer)]);
  });
});
