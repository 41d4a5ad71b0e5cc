/** Searching rows in one level and in two. */
import { describe, expect, it } from 'vitest';
import { GraphBuilder, type Value } from '../../../src/onnx/graph.ts';
import { serialize } from '../../../src/onnx/serialize.ts';
import { BELOW_ONE, drawPlace, largestPlace } from '../../../src/qwen/choose.ts';
import { Random } from '../../../src/random/random.ts';
import { pick, readFloats } from '../../../src/runtime/backend.ts';
import { createNodeBackend } from '../../../src/runtime/node.ts';

const backend = createNodeBackend();

async function places(rows: Float32Array[], uniform: number[], build: (g: GraphBuilder, x: Value, u: Value) => Value): Promise<number[]> {
  const n = rows[0]?.length ?? 0;
  const g = new GraphBuilder('places');
  g.output('y', build(g, g.input('x', 'float32', [rows.length, n]), g.input('u', 'float32', [rows.length, 1])));
  const program = await backend.compile(serialize(g.finish()), 'places');
  const outputs = await program.run({
    x: backend.upload(Float32Array.from(rows.flatMap((row) => [...row])), [rows.length, n]),
    u: backend.upload(Float32Array.from(uniform), [rows.length, 1]),
  });
  return [...(await readFloats(backend, pick(outputs, 'y')))];
}

describe.each([7, 512, 1024, 1025, 3001])('in a row of %i', (n) => {
  const random = new Random(n);
  const rows = Array.from({ length: 40 }, () => Float32Array.from({ length: n }, () => (random.next() < 0.3 ? 0 : random.next())));
  const uniform = rows.map(() => random.next());

  it('a place is drawn where the running sum passes the number', async () => {
    const drawn = await places(rows, uniform, drawPlace);
    rows.forEach((row, k) => {
      const target = (uniform[k] ?? 0) * row.reduce((sum, weight) => sum + weight, 0);
      const before = row.subarray(0, drawn[k]).reduce((sum, weight) => sum + weight, 0);
      expect(before).toBeLessThan(target + 1e-3);
      expect(before + (row[drawn[k] ?? 0] ?? 0)).toBeGreaterThan(target - 1e-3);
      expect(row[drawn[k] ?? 0]).toBeGreaterThan(0);
    });
  });

  it('nothing of weight zero is drawn at either end', async () => {
    const alone = Array.from({ length: 12 }, (_, k) => Float32Array.from({ length: n }, (_, i) => +(i === Math.floor((k * (n - 1)) / 11)) * 0.37));
    for (const u of [0, 0.5, BELOW_ONE]) {
      const drawn = await places(alone, alone.map(() => u), drawPlace);
      expect(drawn).toEqual(alone.map((row) => row.findIndex((weight) => weight > 0)));
      const ends = await places(rows, rows.map(() => u), drawPlace);
      rows.forEach((row, k) => expect(row[ends[k] ?? 0]).toBeGreaterThan(0));
    }
  });

  it('the first of equally large numbers is the largest', async () => {
    const signed = rows.map((row) => row.map((weight) => Math.round(weight * 50) - 90));
    const found = await places(signed, uniform, (g, x) => largestPlace(g, x));
    expect(found).toEqual(signed.map((row) => row.indexOf(Math.max(...row))));
  });
});
