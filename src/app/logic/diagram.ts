/** Where the team's diagram puts things: the question on top, below it the agents layer by layer, the answer at the bottom. */
import type { Game } from '../../marft/game.ts';

/** Units of the drawing; the page scales it to its column. */
export const DIAGRAM = { width: 280, nodeHeight: 40, rowGap: 38, endHeight: 20, laneGap: 12, margin: 6 } as const;

/** Width of a node by how many share its row; more than these go into a row of their own. */
const NODE_WIDTHS: readonly number[] = [124, 120, 84];

/** Between an arrow's tip and what it points at, for the head. */
const HEAD = 7;

export interface DiagramNode {
  agent: number;
  /** Centre. */
  x: number;
  y: number;
  width: number;
}

export interface DiagramArrow {
  from: number;
  to: number;
  /** SVG path from the edge of one node to the other's. */
  path: string;
}

export interface Diagram {
  width: number;
  height: number;
  /** Centres of the two words. */
  question: { x: number; y: number };
  answer: { x: number; y: number };
  /** In generation order. */
  nodes: DiagramNode[];
  /** One per entry of D that is true. */
  arrows: DiagramArrow[];
  /** From the question to each agent that hears nobody. */
  asked: { agent: number; path: string }[];
  /** From the answering agent to the answer. */
  answered: string;
}

interface Placed extends DiagramNode {
  row: number;
}

/** Agents of one layer side by side, layers below each other; an arrow past a row takes a lane of its own on the right. */
export function layOut(game: Game): Diagram {
  const { width, nodeHeight, rowGap, endHeight, laneGap, margin } = DIAGRAM;
  const rows = game.layers.flatMap(rowsOf);
  const top = endHeight + rowGap * 0.7;
  const nodes = rows.flatMap((row, index): Placed[] =>
    row.map((agent, place) => ({
      agent,
      row: index,
      width: NODE_WIDTHS[row.length - 1] ?? 0,
      x: width / 2 + (place - (row.length - 1) / 2) * ((width - margin) / row.length),
      y: top + nodeHeight / 2 + index * (nodeHeight + rowGap),
    })),
  );
  const rightOf = (from: number, to: number): number =>
    Math.max(...nodes.filter(({ row }) => row >= from && row <= to).map(({ x, width: wide }) => x + wide / 2));

  let right: number = width;
  const arrows: DiagramArrow[] = [];
  for (const start of nodes) {
    for (const stop of nodes) {
      if (game.dependency[start.agent]?.[stop.agent] !== true) continue;
      const span = stop.row - start.row;
      if (span === 1) {
        arrows.push({ from: start.agent, to: stop.agent, path: down(start.x, start.y + nodeHeight / 2, stop.x, stop.y - nodeHeight / 2) });
        continue;
      }
      const lane = rightOf(start.row, stop.row) + laneGap * Math.max(1, span - 0.5);
      right = Math.max(right, lane + margin);
      arrows.push({ from: start.agent, to: stop.agent, path: around(start, stop, lane) });
    }
  }

  const question = { x: width / 2, y: endHeight / 2 };
  const last = nodes.find(({ agent }) => agent === game.answerer);
  const bottom = top + rows.length * (nodeHeight + rowGap) - rowGap;
  const answer = { x: last?.x ?? width / 2, y: bottom + rowGap * 0.7 + endHeight / 2 };
  const unheard = nodes.filter(({ agent }) => game.dependency.every((row) => row[agent] !== true));
  return {
    width: right,
    height: answer.y + endHeight / 2,
    question,
    answer,
    nodes: nodes.map(({ agent, x, y, width: wide }) => ({ agent, x, y, width: wide })),
    arrows,
    // Those further down are asked too, but a line there would cross what matters.
    asked: unheard
      .filter(({ row }) => row === 0)
      .map(({ agent, x, y }) => ({ agent, path: down(question.x, endHeight, x, y - nodeHeight / 2) })),
    answered: down(answer.x, (last?.y ?? 0) + nodeHeight / 2, answer.x, answer.y - endHeight / 2),
  };
}

/** A layer in rows that are wide enough for names. */
function rowsOf(layer: readonly number[]): number[][] {
  const count = Math.ceil(layer.length / NODE_WIDTHS.length);
  const size = Math.ceil(layer.length / count);
  return Array.from({ length: count }, (_, row) => layer.slice(row * size, (row + 1) * size));
}

/** From a lower edge to the upper edge of what is beneath. */
function down(x: number, y: number, toX: number, toY: number): string {
  const middle = (y + toY) / 2;
  return `M${x} ${y} C${x} ${middle}, ${toX} ${middle}, ${toX} ${toY - HEAD}`;
}

/** From the right side, along a lane, back to the right side of a node further down. */
function around(start: DiagramNode, stop: DiagramNode, lane: number): string {
  const out = start.x + start.width / 2;
  const back = stop.x + stop.width / 2 + HEAD;
  // A cubic with both handles at x bulges to three quarters of the way there.
  const handle = (from: number): number => from + ((lane - from) * 4) / 3;
  return `M${out} ${start.y} C${handle(out)} ${start.y}, ${handle(back)} ${stop.y}, ${back} ${stop.y}`;
}
