/**
 * Cutting a graph in two where a value that comes later enters it: a derivative's cotangent. What lies before can run at another time than the
 * rest, and hands values over. Bodies of control flow are not looked into.
 */
import type { Graph, Node, Value } from './graph.ts';

/**
 * The results of `ops` that do not depend on any input of `late` and that `outputs` need beside it: what has to be handed over so that none of
 * these operators runs again. All else that comes before `late` is reckoned anew from them and from the inputs.
 */
export function handedOver(graph: Graph, late: readonly string[], outputs: readonly string[], ops: ReadonlySet<string>): Value[] {
  const makers = makersOf(graph);
  const depends = new Set(late);
  for (const { inputs, outputs: made } of graph.nodes) {
    if (inputs.some((name) => depends.has(name))) for (const name of made) depends.add(name);
  }
  const handed: Value[] = [];
  walk(outputs, (name) => {
    const maker = makers.get(name);
    const value = graph.values.get(name);
    if (!maker || !value || depends.has(name) || !ops.has(maker.op)) return maker?.inputs ?? [];
    handed.push(value);
    return [];
  });
  return handed;
}

/** The part of a graph that makes `outputs` from `inputs`, which may be any of its values; all of them are declared, read or not. */
export function restrict(graph: Graph, name: string, inputs: readonly Value[], outputs: readonly string[]): Graph {
  const makers = makersOf(graph);
  const given = new Set(inputs.map((value) => value.name));
  const needed = new Set<Node>();
  const read = walk(outputs, (value) => {
    const maker = given.has(value) ? undefined : makers.get(value);
    if (maker) needed.add(maker);
    return maker?.inputs ?? [];
  });
  return {
    name,
    inputs: [...inputs],
    outputs: outputs.map((output) => {
      const value = graph.values.get(output);
      if (!value) throw new Error(`the graph does not make ${output}`);
      return value;
    }),
    nodes: graph.nodes.filter((node) => needed.has(node)),
    initializers: graph.initializers.filter((value) => read.has(value.name)),
    values: new Map([...needed].flatMap(({ outputs: made }) => made).flatMap((made) => {
      const value = graph.values.get(made);
      return value ? [[made, value]] : [];
    })),
  };
}

function makersOf(graph: Graph): Map<string, Node> {
  return new Map(graph.nodes.flatMap((node) => node.outputs.map((output) => [output, node])));
}

/** Every value that is reached, each once; `next` says what a value leads to. */
function walk(from: readonly string[], next: (name: string) => readonly string[]): Set<string> {
  const seen = new Set<string>();
  const open = [...from];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    open.push(...next(name));
  }
  return seen;
}
