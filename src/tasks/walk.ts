import { Random } from '../random/random.ts';
import { drawDistinct, isHeldOut } from './split.ts';
import { DIRECTIONS, cellName, directionsTo, parseCell, stepTo, type Grid } from './grid.ts';
import type { Problem, Task, Verdict } from './types.ts';

export const WALK = 'walk';

/** Cells of a side, at least and at most. The embedded model has learnt 3, with one wall or none. */
export const MIN_SIZE = 3;
export const MAX_SIZE = 5;
export const MAX_WALLS = 3;

/** Steps that a walk takes at least; at most as many as a side has cells, so that a team of one turn more may err. */
const MIN_STEPS = 2;
/** The map of a problem made by `walk`; null for any other. */
export function mapOf(problem: Pick<Problem, 'question' | 'secret'>, size: number): { grid: Grid; start: number; flag: number } | null {
  const start = /^walk from (\w\d)$/.exec(problem.question)?.[1];
  const [, flag, walls] = /^flag (\w\d)((?: wall \w\d)*)$/.exec(problem.secret ?? '') ?? [];
  if (start === undefined || flag === undefined) return null;
  const blocked = new Set([...(walls ?? '').matchAll(/\w\d/g)].map(([cell]) => parseCell(cell, size)));
  return { grid: { size, walls: blocked }, start: parseCell(start, size), flag: parseCell(flag, size) };
}

/**
 * A walker is to reach a flag in a few turns. Only the navigator sees where the flag and the walls are; both are told where the walker stands. A step into a
 * wall, off the map or in no direction leaves it where it is. Maps are held out whole.
 */
export function walk(size: number, walls: number): Task {
  function draw(random: Random, heldOut: boolean): Problem {
    for (;;) {
      const [start = 0, flag = 0, ...blocked] = random.shuffled(Array.from({ length: size * size }, (_, cell) => cell)).slice(0, 2 + walls);
      const way = directionsTo({ size, walls: new Set(blocked) }, start, flag);
      if (way === null || way.length < MIN_STEPS || way.length > size) continue;
      blocked.sort((a, b) => a - b);
      if (isHeldOut(size, start, flag, ...blocked) !== heldOut) continue;
      const secret = `flag ${cellName(flag, size)}${blocked.map((cell) => ` wall ${cellName(cell, size)}`).join('')}`;
      const question = `walk from ${cellName(start, size)}`;
      return { id: `walk:${size}:${question}:${secret}`, question, secret, answer: way.join(' ') };
    }
  }

  return {
    name: WALK,
    description: `A map of ${size} × ${size} cells: the navigator sees the flag${walls > 0 ? ' and the walls' : ''}, the walker moves a step a turn.`,
    watch: 'A walk takes several turns, and only its end is rewarded. Watch the navigator\'s first words become as certain as its last.',
    chance: CHANCE,
    parts: ['arrived', 'nearer'],
    train: (random) => draw(random, false),
    heldOut(count, seed) {
      const random = new Random(seed, 0x3a1c, size, walls);
      return drawDistinct(count, () => draw(random, true), ({ id }) => id);
    },
    isOver: (problem, answers) => standing(problem, answers, size).arrived,
    respond: (problem, answers) => `now ${cellName(standing(problem, answers, size).cell, size)}`,
    verify: (problem, _, { answers }) => arrival(problem, answers, size),
  };
}

/** Steps in random directions, four of them, on the default map; found by playing 20,000 problems. */
const CHANCE = 0.15;

/** Where a walker stands after these answers, and whether it has been at the flag; it goes no further then. */
function standing(problem: Problem, answers: readonly string[], size: number): { cell: number; arrived: boolean } {
  const map = mapOf(problem, size);
  if (map === null) return { cell: 0, arrived: false };
  let cell = map.start;
  for (const answer of answers) {
    if (cell === map.flag) break;
    const direction = DIRECTIONS.find((one) => one === answer.trim().toLowerCase());
    if (direction !== undefined) cell = stepTo(map.grid, cell, direction);
  }
  return { cell, arrived: cell === map.flag };
}

/** Reward 1 for having reached the flag; `nearer` is the share of the way that was covered, 0 where the walker is no nearer than at first. */
function arrival(problem: Problem, answers: readonly string[], size: number): Verdict {
  const map = mapOf(problem, size);
  const { cell, arrived } = standing(problem, answers, size);
  const whole = map === null ? 0 : (directionsTo(map.grid, map.start, map.flag)?.length ?? 0);
  const left = map === null ? 0 : (directionsTo(map.grid, cell, map.flag)?.length ?? whole);
  const nearer = whole === 0 ? 0 : Math.min(1, Math.max(0, (whole - left) / whole));
  return { reward: Number(arrived), parts: { arrived: Number(arrived), nearer } };
}
