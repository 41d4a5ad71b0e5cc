/** Reverse-mode differentiation at build time: the derivative of a graph is more nodes of the same graph. */
import type { GraphBuilder, Value } from './graph.ts';
import { add } from './ops/add.ts';

/** `value` and dL/dvalue, of the same shape. */
export interface Seed {
  value: Value;
  cotangent: Value;
}

/**
 * dL/dw for every w in `wrt`, given dL/dvalue for the seeds. Nodes are added only where a seed depends on some w.
 * Throws when some w reaches no seed: a parameter without a gradient is a fault in the graph.
 */
export function gradients(g: GraphBuilder, seeds: readonly Seed[], wrt: readonly Value[]): Value[] {
  const tape = [...g.tape];
  const depends = new Set(wrt.map((value) => value.name));
  for (const { inputs, output } of tape) {
    if (inputs.some((value) => depends.has(value.name))) depends.add(output.name);
  }
  const cotangents = new Map<string, Value>();
  const accumulate = (value: Value, cotangent: Value) => {
    if (value.shape.join() !== cotangent.shape.join()) {
      throw new Error(`cotangent of shape [${cotangent.shape.join()}] for ${value.name} of shape [${value.shape.join()}]`);
    }
    const sum = cotangents.get(value.name);
    cotangents.set(value.name, sum ? add(g, sum, cotangent) : cotangent);
  };
  for (const { value, cotangent } of seeds) if (depends.has(value.name)) accumulate(value, cotangent);
  for (const { inputs, output, pullbacks } of tape.reverse()) {
    const cotangent = cotangents.get(output.name);
    if (!cotangent) continue;
    inputs.forEach((value, i) => {
      const pullback = pullbacks[i];
      if (pullback && depends.has(value.name)) accumulate(value, pullback(cotangent));
    });
  }
  return wrt.map((value) => {
    const cotangent = cotangents.get(value.name);
    if (!cotangent) throw new Error(`no seed depends on ${value.name}`);
    return cotangent;
  });
}
