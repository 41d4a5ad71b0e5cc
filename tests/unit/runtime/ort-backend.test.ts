import { describe, expect, it } from 'vitest';
import type { Env, InferenceSession, InferenceSessionFactory, TensorConstructor } from 'onnxruntime-common';
import { OrtBackend } from '../../../src/runtime/ort-backend.ts';

/** A runtime whose sessions cannot be made, for the reason given. */
function failing(message: string): OrtBackend {
  const factory: Pick<InferenceSessionFactory, 'create'> = { create: (): Promise<InferenceSession> => Promise.reject(new Error(message)) };
  const ort = { env: { wasm: {} } as Env, Tensor: class {} as unknown as TensorConstructor, InferenceSession: factory as InferenceSessionFactory };
  return new OrtBackend(ort, { kind: 'wasm', executionProviders: ['wasm'] });
}

describe('a graph that cannot be compiled', () => {
  it('is told apart from a runtime that did not arrive', async () => {
    const missing = 'no available backend found. ERR: [wasm] RuntimeError: Aborted(both async and sync fetching of the wasm failed)';
    await expect(failing(missing).compile(new Uint8Array(), 'embed')).rejects.toMatchObject({ code: 'runtime-missing' });
    await expect(failing('unknown operator').compile(new Uint8Array(), 'embed')).rejects.toMatchObject({ code: 'graph-refused' });
  });
});

describe('a run that finds no memory', () => {
  it.each(['std::bad_alloc', 'Failed to allocate memory for requested buffer of size 4194304', 'Array buffer allocation failed'])('is told apart from others: %s', async (message) => {
    const session = { run: () => Promise.reject(new Error(message)) } as unknown as InferenceSession;
    const ort = { env: {} as Env, Tensor: class {} as unknown as TensorConstructor, InferenceSession: { create: () => Promise.resolve(session) } as unknown as InferenceSessionFactory };
    const program = await new OrtBackend(ort, { kind: 'cpu', executionProviders: ['cpu'] }).compile(new Uint8Array(), 'embed');
    await expect(program.run({})).rejects.toMatchObject({ code: 'device-out-of-memory', message: 'This computer has no memory left for the graph "embed".' });
  });
});

describe('threads', () => {
  it('are as many as there are for a large model, one for a small one, and on WASM what they were when it was started', async () => {
    const session = {} as InferenceSession;
    const env = { wasm: {} } as Env;
    const ort = { env, Tensor: class {} as unknown as TensorConstructor, InferenceSession: { create: () => Promise.resolve(session) } as unknown as InferenceSessionFactory };
    const wasm = new OrtBackend(ort, { kind: 'wasm', executionProviders: ['wasm'], threads: 4 });
    expect([wasm.suit(896 * 4864), wasm.suit(96 * 256), wasm.suit(896 * 4864)]).toEqual([4, 1, 4]);
    await wasm.compile(new Uint8Array(), 'embed');
    expect(env.wasm.numThreads).toBe(4);
    expect(wasm.suit(96 * 256)).toBe(4);
    const processor = new OrtBackend(ort, { kind: 'cpu', executionProviders: ['cpu'], threads: 4 });
    await processor.compile(new Uint8Array(), 'embed');
    expect([processor.suit(896 * 4864), processor.suit(96 * 256)]).toEqual([4, 1]);
  });
});
