/** Where the team's diagram puts things: the question on top, the agents in the order they act, the answer below. */
import type { Game } from '../../marft/game.ts';

/** Units of the drawing; the page scales it to its column. */
export const DIAGRAM = { width: 280, nodeWidth: 116, nodeHeight: 40, rowGap: 46, top: 16, end: 30 } as const;

export interface DiagramNode {
  agent: number;
  /** Centre. */
  x: number;
  y: number;
}

export interface DiagramArrow {
  from: number;
  to: number;
  /** D(from, to). */
  on: boolean;
  /** SVG path from the edge of one node to the other's. */
  path: string;
}

export interface Diagram {
  height: number;
  nodes: DiagramNode[];
  /** Between every two agents that could hear each other in the order they act. */
  arrows: DiagramArrow[];
}

/** Agents below each other, each a little further to the right, so that every arrow has a way of its own. */
export function layOut(game: Game): Diagram {
  const { width, nodeWidth, nodeHeight, rowGap, top, end } = DIAGRAM;
  const count = game.order.length;
  const slack = width - nodeWidth - 24;
  const nodes = game.order.map((agent, place) => ({
    agent,
    x: 12 + nodeWidth / 2 + (count > 1 ? (slack * place) / (count - 1) : slack / 2),
    y: top + end + nodeHeight / 2 + place * (nodeHeight + rowGap),
  }));
  const arrows: DiagramArrow[] = [];
  for (const [i, start] of nodes.entries()) {
    for (const stop of nodes.slice(i + 1)) {
      const on = game.dependency[start.agent]?.[stop.agent] === true;
      arrows.push({ from: start.agent, to: stop.agent, on, path: curve(start, stop) });
    }
  }
  const last = nodes.at(-1)?.y ?? 0;
  return { height: last + nodeHeight / 2 + end + top, nodes, arrows };
}

/** From the right side of the upper node round to the top of the lower one. */
function curve(start: DiagramNode, stop: DiagramNode): string {
  const { nodeWidth, nodeHeight } = DIAGRAM;
  const x = start.x + nodeWidth / 2;
  const tip = stop.y - nodeHeight / 2 - 7;
  return `M${x} ${start.y} C${stop.x} ${start.y}, ${stop.x} ${start.y}, ${stop.x} ${tip}`;
}
