import { describe, expect, it } from 'vitest';
import { GraphBuilder } from '../../../src/onnx/graph.ts';
import { add } from '../../../src/onnx/ops/add.ts';
import { exp } from '../../../src/onnx/ops/exp.ts';
import { gemm } from '../../../src/onnx/ops/gemm.ts';
import { mul } from '../../../src/onnx/ops/mul.ts';
import { handedOver, restrict } from '../../../src/onnx/partition.ts';
import { serialize } from '../../../src/onnx/serialize.ts';
import { createNodeBackend } from '../../../src/runtime/node.ts';
import { readFloats, pick } from '../../../src/runtime/backend.ts';

/** y = exp(x·w), z = late · exp(x·w) + late·w, where the second product must wait for `late`. */
function example() {
  const g = new GraphBuilder('example');
  const x = g.input('x', 'float32', [1, 2]);
  const w = g.input('w', 'float32', [2, 2]);
  const late = g.input('late', 'float32', [1, 2]);
  const product = gemm(g, x, w, {});
  const unused = gemm(g, product, w, {});
  const y = exp(g, product);
  g.output('y', y);
  g.output('unused', unused);
  g.output('z', add(g, mul(g, late, y), gemm(g, late, w, {})));
  return { graph: g.finish(), product };
}

describe('a graph that is cut in two', () => {
  const { graph, product } = example();
  const kept = handedOver(graph, ['late'], ['z'], new Set(['Gemm']));

  it('hands over the products that come before and are needed after, no others', () => {
    expect(kept.map(({ name }) => name)).toEqual([product.name]);
  });

  it('gives in two runs what it gives in one, without repeating a product', async () => {
    const before = restrict(graph, 'before', graph.inputs.slice(0, 2), ['y', ...kept.map(({ name }) => name)]);
    const after = restrict(graph, 'after', [...graph.inputs, ...kept], ['z']);
    expect([before, after].map(({ nodes }) => nodes.filter(({ op }) => op === 'Gemm').length)).toEqual([1, 1]);
    expect(after.inputs.map(({ name }) => name)).toEqual(['x', 'w', 'late', product.name]);

    const backend = createNodeBackend();
    const inputs = {
      x: backend.upload(Float32Array.of(0.5, -1), [1, 2]),
      w: backend.upload(Float32Array.of(1, 2, 3, 4), [2, 2]),
      late: backend.upload(Float32Array.of(2, 3), [1, 2]),
    };
    const { x, w, late } = inputs;
    const whole = await (await backend.compile(serialize(graph), 'whole')).run(inputs);
    const { y, ...handed } = await (await backend.compile(serialize(before), 'before')).run({ x, w });
    const rest = await (await backend.compile(serialize(after), 'after')).run({ x, w, late, ...handed });
    expect(y).toBeDefined();
    expect(await readFloats(backend, pick(rest, 'z'))).toEqual(await readFloats(backend, pick(whole, 'z')));
  });

  it('refuses to make what is not there', () => {
    expect(() => restrict(graph, 'none', graph.inputs, ['nothing'])).toThrow('does not make nothing');
  });
});
