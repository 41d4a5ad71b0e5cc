import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/random/random.ts';
import { serialize } from '../../../src/onnx/serialize.ts';
import { pick, readFloats, type Program } from '../../../src/runtime/backend.ts';
import { createNodeBackend } from '../../../src/runtime/node.ts';
import { OPERATOR_CASES, backwardGraph, forwardGraph, operands, type OperatorCase } from '../../operators/cases.ts';

const backend = createNodeBackend();

/** Σ dy · y, in double precision. */
async function objective(program: Program, operator: OperatorCase, inputs: Float32Array[], dy: Float32Array): Promise<number> {
  const feeds = Object.fromEntries(inputs.map((data, i) => [`x${i}`, backend.upload(data, operator.inputs[i] ?? [])]));
  const y = await readFloats(backend, pick(await program.run(feeds), 'y'));
  return y.reduce((sum, value, i) => sum + value * (dy[i] ?? 0), 0);
}

describe('the derivative of every operator agrees with finite differences', () => {
  it.each(OPERATOR_CASES.map((operator) => [operator.name, operator] as const))('%s', async (_, operator) => {
    const { inputs, dy } = operands(operator);
    const { graph, shape } = forwardGraph(operator);
    const forward = await backend.compile(serialize(graph), 'forward');
    const backward = await backend.compile(serialize(backwardGraph(operator)), 'backward');
    const feeds = Object.fromEntries(inputs.map((data, i) => [`x${i}`, backend.upload(data, operator.inputs[i] ?? [])]));
    const outputs = await backward.run({ ...feeds, dy: backend.upload(dy, shape) });
    for (const [i, data] of inputs.entries()) {
      const gradient = await readFloats(backend, pick(outputs, `d${i}`));
      // A random direction per input: the directional derivative mixes all elements, and rounding averages out.
      for (let trial = 0; trial < 3; trial++) {
        const random = new Random(3, i, trial);
        const direction = data.map(() => random.normal());
        const step = 5e-3;
        const moved = (sign: number) => inputs.map((x, j) => (j === i ? x.map((v, k) => v + sign * step * (direction[k] ?? 0)) : x));
        const above = await objective(forward, operator, moved(1), dy);
        const below = await objective(forward, operator, moved(-1), dy);
        const expected = gradient.reduce((sum, value, k) => sum + value * (direction[k] ?? 0), 0);
        const scale = Math.hypot(...gradient) * Math.hypot(...direction);
        expect(Math.abs((above - below) / (2 * step) - expected)).toBeLessThan(1e-3 * Math.max(1, scale));
      }
    }
  });
});
