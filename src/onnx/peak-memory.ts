/** How many bytes a run of a graph needs at once beside its inputs, and in its largest tensor. */
import { BYTES_PER_ELEMENT, sizeOf, type Graph } from './graph.ts';

/** Operators whose result is their first input under another name or shape. */
const VIEWS = new Set(['Identity', 'Reshape', 'Squeeze', 'Unsqueeze']);

/**
 * The most bytes that intermediate values and outputs take together while the nodes run in their order, each value freed after its last
 * use. A runtime may order the nodes otherwise, compute in place, or keep what it repacks. Bodies of control flow are not counted.
 */
export function peakBytes(graph: Graph): number {
  const origin = new Map<string, string>();
  const owner = (name: string): string => origin.get(name) ?? name;
  const bytes = new Map<string, number>();
  const lastUse = new Map<string, number>();
  graph.nodes.forEach(({ op, inputs, outputs }, i) => {
    const [source = ''] = inputs;
    for (const name of outputs) {
      const value = graph.values.get(name);
      if (VIEWS.has(op)) origin.set(name, owner(source));
      else if (value) bytes.set(name, sizeOf(value.shape) * BYTES_PER_ELEMENT[value.dtype]);
    }
    for (const name of [...inputs, ...outputs]) lastUse.set(owner(name), i);
  });
  for (const { name } of graph.outputs) lastUse.set(owner(name), graph.nodes.length);

  let live = 0;
  let peak = 0;
  graph.nodes.forEach(({ inputs, outputs }, i) => {
    for (const name of outputs) live += bytes.get(name) ?? 0;
    peak = Math.max(peak, live);
    for (const name of new Set([...inputs, ...outputs].map(owner))) {
      if (lastUse.get(name) === i) live -= bytes.get(name) ?? 0;
    }
  });
  return peak;
}

/** Bytes of the largest tensor that a run reads or makes. Bodies of control flow are not looked into. */
export function largestBytes(graph: Graph): number {
  let largest = 0;
  for (const { shape, dtype } of [...graph.inputs, ...graph.values.values()]) largest = Math.max(largest, sizeOf(shape) * BYTES_PER_ELEMENT[dtype]);
  return largest;
}
