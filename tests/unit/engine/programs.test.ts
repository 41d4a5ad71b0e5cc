import { describe, expect, it } from 'vitest';
import { Programs } from '../../../src/engine/programs.ts';
import type { Graph } from '../../../src/onnx/graph.ts';
import type { Backend } from '../../../src/runtime/backend.ts';
import { createNodeBackend } from '../../../src/runtime/node.ts';

function counting(): { backend: Backend; compiled: () => number; alive: () => number } {
  const backend = createNodeBackend();
  let compiled = 0;
  let alive = 0;
  backend.compile = () => {
    compiled++;
    alive++;
    return Promise.resolve({ run: () => Promise.resolve({}), dispose: () => void alive-- });
  };
  return { backend, compiled: () => compiled, alive: () => alive };
}

const build = (): Graph => ({ name: 'nothing', inputs: [], outputs: [], nodes: [], initializers: [], values: new Map() });

describe('compiled graphs', () => {
  it('are compiled once a key', async () => {
    const { backend, compiled } = counting();
    const programs = new Programs(backend);
    expect(await programs.program('a', build)).toBe(await programs.program('a', build));
    await programs.program('b', build);
    expect(compiled()).toBe(2);
  });

  it('are never more than 128: the one that was not asked for longest goes, and comes again when it is', async () => {
    const { backend, compiled, alive } = counting();
    const programs = new Programs(backend);
    const first = await programs.program('0', build);
    for (let key = 1; key < 128; key++) await programs.program(String(key), build);
    expect(await programs.program('0', build)).toBe(first);
    await programs.program('128', build);
    await programs.program('0', build);
    expect([compiled(), alive()]).toEqual([129, 128]);
    await programs.program('1', build);
    await Promise.resolve();
    expect([compiled(), alive()]).toEqual([130, 128]);
    programs.dispose();
    await Promise.resolve();
    await Promise.resolve();
    expect(alive()).toBe(0);
  });
});
