/** Square maps: cells are numbered row by row from the top left, and called `a1` (column a, row 1). */

export interface Grid {
  size: number;
  walls: ReadonlySet<number>;
}

export const DIRECTIONS = ['up', 'down', 'left', 'right'] as const;
export type Direction = (typeof DIRECTIONS)[number];

const COLUMNS = 'abcdefgh';

export function cellName(cell: number, size: number): string {
  return `${COLUMNS[cell % size] ?? '?'}${Math.floor(cell / size) + 1}`;
}

/** The inverse of `cellName`; what is not on the map becomes cell −1. */
export function parseCell(name: string, size: number): number {
  const [column, row] = [COLUMNS.indexOf(name[0] ?? '?'), Number(name.slice(1)) - 1];
  return column >= 0 && column < size && row >= 0 && row < size ? row * size + column : -1;
}

/** Where a step leads; a step into a wall or off the map leads nowhere. */
export function stepTo({ size, walls }: Grid, cell: number, direction: Direction): number {
  const [column, row] = [cell % size, Math.floor(cell / size)];
  const [toColumn, toRow] = { up: [column, row - 1], down: [column, row + 1], left: [column - 1, row], right: [column + 1, row] }[direction];
  if (toColumn === undefined || toRow === undefined || toColumn < 0 || toColumn >= size || toRow < 0 || toRow >= size) return cell;
  const to = toRow * size + toColumn;
  return walls.has(to) ? cell : to;
}

/** A shortest way as directions, the first in the order of `DIRECTIONS` where several are as short; null where there is none. */
export function directionsTo(grid: Grid, from: number, to: number): Direction[] | null {
  const ways = new Map<number, Direction[]>([[from, []]]);
  const queue = [from];
  for (let cell = queue.shift(); cell !== undefined; cell = queue.shift()) {
    const way = ways.get(cell) ?? [];
    if (cell === to) return way;
    for (const direction of DIRECTIONS) {
      const next = stepTo(grid, cell, direction);
      if (ways.has(next)) continue;
      ways.set(next, [...way, direction]);
      queue.push(next);
    }
  }
  return null;
}
