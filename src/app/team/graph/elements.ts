/** The diagram as nodes and edges of Svelte Flow. Sizes are given, so that nothing has to be measured and nothing flickers. */
import { Position, type Edge, type Node } from '@xyflow/svelte';
import type { Game } from '../../../marft/game.ts';
import { agentColour } from '../../logic/chart-models.ts';
import { DIAGRAM, type Diagram } from '../../logic/diagram.ts';
import type { GraphDesk } from './graph-desk.svelte.ts';

export type AgentNodeType = Node<{ agent: number; name: string; colour: string; answers: boolean; desk: GraphDesk }, 'agent'>;
export type EndNodeType = Node<{ label: string }, 'end'>;
export type ArrowType = Edge<{ path: string; colour: string; from: number; to: number }, 'arrow'>;
export type FlowType = Edge<{ path: string; colour: string }, 'flow'>;

const END_WIDTH = 120;
/** The dots where arrows begin and end; larger than they look, so that a finger hits them. */
const DOT = 24;
const FIXED = { selectable: false, draggable: false, focusable: false, deletable: false } as const;

export function nodesOf(game: Game, diagram: Diagram, desk: GraphDesk): (AgentNodeType | EndNodeType)[] {
  const agents = diagram.nodes.map(({ agent, x, y, width }): AgentNodeType => {
    const height = DIAGRAM.nodeHeight;
    return {
      ...FIXED,
      id: String(agent),
      type: 'agent',
      data: { agent, name: game.agents[agent]?.name ?? '', colour: agentColour(agent), answers: agent === game.answerer, desk },
      position: { x: x - width / 2, y: y - height / 2 },
      width,
      height,
      measured: { width, height },
      handles: [
        { type: 'target', position: Position.Top, x: (width - DOT) / 2, y: -DOT / 2, width: DOT, height: DOT },
        { type: 'source', position: Position.Bottom, x: (width - DOT) / 2, y: height - DOT / 2, width: DOT, height: DOT },
      ],
    };
  });
  return [end('question', 'question', diagram.question, 'source'), ...agents, end('answer', 'answer → reward', diagram.answer, 'target')];
}

export function edgesOf(game: Game, diagram: Diagram): (ArrowType | FlowType)[] {
  const flow = { type: 'flow', selectable: false, focusable: false, deletable: false, ariaRole: 'img' } as const;
  const data = (path: string): { path: string; colour: string } => ({ path, colour: '--line-strong' });
  return [
    ...diagram.asked.map(({ agent, path }): FlowType => ({ ...flow, id: `question-${agent}`, source: 'question', target: String(agent), data: data(path), ariaLabel: `The question goes to ${game.agents[agent]?.name ?? ''}` })),
    { ...flow, id: 'answered', source: String(game.answerer), target: 'answer', data: data(diagram.answered), ariaLabel: `${game.agents[game.answerer]?.name ?? ''} gives the answer` },
    ...diagram.arrows.map(({ from, to, path }): ArrowType => {
      const [speaker, listener] = [game.agents[from]?.name ?? '', game.agents[to]?.name ?? ''];
      return {
        id: `${from}-${to}`,
        type: 'arrow',
        source: String(from),
        target: String(to),
        data: { path, colour: agentColour(from), from, to },
        ariaLabel: `Arrow ${speaker} → ${listener}`,
      };
    }),
  ];
}

function end(id: string, label: string, { x, y }: { x: number; y: number }, handle: 'source' | 'target'): EndNodeType {
  const height = DIAGRAM.endHeight;
  const position = handle === 'source' ? Position.Bottom : Position.Top;
  return {
    ...FIXED,
    id,
    type: 'end',
    connectable: false,
    data: { label },
    position: { x: x - END_WIDTH / 2, y: y - height / 2 },
    width: END_WIDTH,
    height,
    measured: { width: END_WIDTH, height },
    handles: [{ type: handle, position, x: END_WIDTH / 2, y: handle === 'source' ? height : 0, width: 1, height: 1 }],
  };
}
