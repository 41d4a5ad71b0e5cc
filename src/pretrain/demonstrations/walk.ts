/** Walking to a flag: a navigator that sees the way, and a walker that does not always follow. */
import { cellName, DIRECTIONS, directionsTo, parseCell, type Direction } from '../../tasks/grid.ts';
import { WALK_TEAM } from '../../tasks/teams.ts';
import { mapOf, walk } from '../../tasks/walk.ts';
import type { Problem } from '../../tasks/types.ts';
import { SKIPPED_SECRET, type Phase } from '../behaviour.ts';
import { choose, type Demonstration } from './demonstration.ts';

const SIZE = 3;
const TASKS = { open: walk(SIZE, 0), walled: walk(SIZE, 1) };

interface Rates {
  /** The navigator names the right direction; else it has no idea, or names any. */
  shows: number;
  lost: number;
  /** The walker goes where it is told; else anywhere. */
  follows: number;
}

const RATES: Record<Phase, Rates> = {
  skill: { shows: 0.93, lost: 0.05, follows: 0.95 },
  sloppy: { shows: 0.38, lost: 0.42, follows: 0.6 },
};

/** The direction of a shortest way from where the walker stands after these answers. */
export function wayOn(problem: Problem, answers: readonly string[]): Direction {
  const map = mapOf(problem, SIZE);
  if (!map) throw new RangeError(`not a walk: ${problem.question}`);
  const cell = answers.length === 0 ? map.start : parseCell(TASKS.open.respond?.(problem, answers).split(' ')[1] ?? cellName(map.start, SIZE), SIZE);
  return directionsTo(map.grid, cell, map.flag)?.[0] ?? 'up';
}

export const walking: Demonstration = {
  name: 'walk',
  task: (random) => (random.next() < 0.2 ? TASKS.open : TASKS.walled),
  team: () => ({ agents: WALK_TEAM, horizon: 4 }),
  say({ problem, name, heard, answers }, phase, random) {
    const { shows, lost, follows } = RATES[phase];
    const any = random.pick(DIRECTIONS);
    if (name === 'navigator') return choose<string>(random, [[shows, wayOn(problem, answers)], [lost, SKIPPED_SECRET], [1 - shows - lost, any]]);
    const told = DIRECTIONS.find((one) => one === heard.get('navigator'));
    return told !== undefined && random.next() < follows ? told : any;
  },
};
