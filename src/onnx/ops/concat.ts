import { dimension, type GraphBuilder, type Value } from '../graph.ts';
import { slice } from './slice.ts';

/** Joins along `axis` (not negative). */
export function concat(g: GraphBuilder, parts: readonly Value[], axis: number): Value {
  const [first] = parts;
  if (!first) throw new Error('nothing to join');
  const starts: number[] = [];
  let total = 0;
  for (const part of parts) {
    starts.push(total);
    total += dimension(part, axis);
  }
  const shape = first.shape.map((size, i) => (i === axis ? total : size));
  const y = g.node('Concat', parts, { dtype: first.dtype, shape }, { axis: { int: axis } });
  const pullbacks = parts.map((part, i) => (dy: Value) => {
    const start = starts[i] ?? 0;
    return slice(g, dy, axis, start, start + dimension(part, axis));
  });
  return g.record(parts, y, pullbacks);
}
