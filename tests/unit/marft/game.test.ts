import { describe, expect, it } from 'vitest';
import { createGame, parentsOf } from '../../../src/marft/game.ts';
import type { TeamSettings } from '../../../src/marft/settings.ts';
import { PlaygroundError } from '../../../src/runtime/errors.ts';
import { team } from './doubles.ts';

const [o, x] = [false, true];

function codeOf(settings: TeamSettings): string {
  try {
    createGame(settings);
  } catch (error) {
    if (error instanceof PlaygroundError && error.hint.endsWith('.')) return error.code;
    throw error;
  }
  return 'accepted';
}

describe('generation order', () => {
  it('of a chain is one agent after the other, each hearing all before it', () => {
    const game = createGame(team([{}, {}, {}]));
    expect(game.layers).toEqual([[0], [1], [2]]);
    expect(parentsOf(game, 2)).toEqual([0, 1]);
  });

  it('of a parallel team is one layer with the answering agent last', () => {
    const game = createGame(team([{ role: 'answers' }, { role: 'speaks' }, { role: 'speaks' }], { dependency: 'none' }));
    expect(game.layers).toEqual([[1, 2, 0]]);
    expect(game.answerer).toBe(0);
    expect(parentsOf(game, 0)).toEqual([]);
  });

  it('of a DAG lets the agents of a layer act concurrently', () => {
    const dependency = [[o, o, o, x], [o, o, o, x], [x, x, o, o], [o, o, o, o]];
    const game = createGame(team([{}, {}, {}, {}], { dependency }));
    expect(game.layers).toEqual([[2], [0, 1], [3]]);
    expect(parentsOf(game, 3)).toEqual([0, 1]);
  });

  it('keeps the answering agent last even when what it hears is cut', () => {
    const game = createGame(team([{}, {}, {}], { dependency: [[o, x, o], [o, o, o], [o, o, o]] }));
    expect(game.layers).toEqual([[0], [1, 2]]);
  });

  it('of a single agent is that agent', () => {
    expect(createGame(team([{}])).order).toEqual([0]);
  });
});

describe('a team is refused', () => {
  it.each<[string, string, TeamSettings]>([
    ['with a circle', 'team-dependency-cycle', team([{}, {}, {}], { dependency: [[o, x, x], [x, o, x], [o, o, o]] })],
    ['with an agent that hears itself', 'team-dependency-self', team([{}, {}], { dependency: [[x, x], [o, o]] })],
    ['with too few rows', 'team-dependency-size', team([{}, {}], { dependency: [[o, x]] })],
    ['with too few columns', 'team-dependency-size', team([{}, {}], { dependency: [[o, x], [o]] })],
    ['without an answering agent', 'team-answering', team([{}, { role: 'speaks' }])],
    ['with two answering agents', 'team-answering', team([{ role: 'answers' }, {}])],
    ['with a verifier that speaks after the answer is fixed', 'team-answer-last', team([{ role: 'answers' }, { role: 'speaks' }])],
    ['with two agents of one name', 'team-names', team([{ name: 'twin' }, { name: 'twin' }])],
    ['with an agent named like a group of metrics', 'team-names', team([{ name: 'critic' }, {}])],
  ])('%s', (_, code, settings) => {
    expect(codeOf(settings)).toBe(code);
  });
});
