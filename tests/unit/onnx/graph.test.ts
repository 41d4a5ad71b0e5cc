import { fromBinary } from '@bufbuild/protobuf';
import { ModelProtoSchema, TensorProto_DataLocation } from 'onnx-buf';
import { describe, expect, it } from 'vitest';
import { gradients } from '../../../src/onnx/autodiff.ts';
import { GraphBuilder, broadcastShape } from '../../../src/onnx/graph.ts';
import { add } from '../../../src/onnx/ops/add.ts';
import { gemm } from '../../../src/onnx/ops/gemm.ts';
import { mul } from '../../../src/onnx/ops/mul.ts';
import { reshape } from '../../../src/onnx/ops/reshape.ts';
import { reshapeTo, shapeOf } from '../../../src/onnx/ops/run-time-shape.ts';
import { serialize } from '../../../src/onnx/serialize.ts';
import { pick, readFloats } from '../../../src/runtime/backend.ts';
import { createNodeBackend } from '../../../src/runtime/node.ts';

const backend = createNodeBackend();

describe('the graph builder', () => {
  it('broadcasts as NumPy does and refuses what does not fit', () => {
    expect(broadcastShape([2, 1, 4], [3, 1])).toEqual([2, 3, 4]);
    expect(() => broadcastShape([2, 3], [4])).toThrow('do not broadcast');
  });

  it('refuses mismatched operands while building, not at run time', () => {
    const g = new GraphBuilder('bad');
    const a = g.input('a', 'float32', [2, 3]);
    expect(() => gemm(g, a, a)).toThrow('gemm');
    expect(() => reshape(g, a, [4])).toThrow('reshape');
    expect(() => g.input('a', 'float32', [1])).toThrow('twice');
    expect(() => g.constant(Float32Array.of(1, 2), [3])).toThrow('elements');
  });

  it('sums the cotangents of a value that is used twice', async () => {
    const g = new GraphBuilder('twice');
    const x = g.input('x', 'float32', [2]);
    const y = add(g, mul(g, x, x), x);
    const [dx] = gradients(g, [{ value: y, cotangent: g.constant(Float32Array.of(1, 1), [2]) }], [x]);
    if (!dx) throw new Error('no gradient');
    g.output('dx', dx);
    const program = await backend.compile(serialize(g.finish()), 'twice');
    const outputs = await program.run({ x: backend.upload(Float32Array.of(3, -1), [2]) });
    expect([...(await readFloats(backend, pick(outputs, 'dx')))]).toEqual([7, -1]);
  });

  it('says so when a parameter has no influence', () => {
    const g = new GraphBuilder('deaf');
    const x = g.input('x', 'float32', [2]);
    const unused = g.input('unused', 'float32', [2]);
    const y = mul(g, x, x);
    expect(() => gradients(g, [{ value: y, cotangent: y }], [unused])).toThrow('no seed depends');
  });

  it('leaves to the run what it alone knows, and gives such dimensions their names', async () => {
    const g = new GraphBuilder('open');
    const x = g.input('x', 'float32', [-1, 2], ['rows']);
    const flat = reshape(g, x, [-1]);
    expect(flat.shape).toEqual([-1]);
    expect(() => reshape(g, x, [-1, -1])).toThrow('reshape');
    expect(() => reshape(g, x, [4])).toThrow('reshape');
    g.output('y', reshapeTo(g, mul(g, flat, flat), shapeOf(g, x, 0, 1), [2, 1]), ['rows']);
    const model = fromBinary(ModelProtoSchema, serialize(g.finish()));
    const dimensions = [...(model.graph?.input ?? []), ...(model.graph?.output ?? [])].map(({ type }) =>
      type?.value.case === 'tensorType' ? type.value.value.shape?.dim.map(({ value }) => value.value) : [],
    );
    expect(dimensions).toEqual([['rows', 2n], ['rows', 2n, 1n]]);
    const program = await backend.compile(serialize(g.finish()), 'open');
    for (const rows of [1, 3]) {
      const outputs = await program.run({ x: backend.upload(new Float32Array(2 * rows).fill(3), [rows, 2]) });
      expect(pick(outputs, 'y').dims).toEqual([rows, 2, 1]);
      expect([...(await readFloats(backend, pick(outputs, 'y')))]).toEqual(Array(2 * rows).fill(9));
    }
  });

  it('names the place of a constant that lies beside the model', () => {
    const g = new GraphBuilder('outside');
    g.output('y', g.external('w', 'float32', [2], { file: 'weights', offset: 4, length: 8 }));
    const [tensor] = fromBinary(ModelProtoSchema, serialize(g.finish())).graph?.initializer ?? [];
    expect(tensor).toMatchObject({ name: 'w', dims: [2n], dataLocation: TensorProto_DataLocation.EXTERNAL });
    expect(tensor?.externalData.map(({ key, value }) => [key, value])).toEqual([['location', 'weights'], ['offset', '4'], ['length', '8']]);
  });
});
