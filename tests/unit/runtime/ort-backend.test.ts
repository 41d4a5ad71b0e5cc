import { describe, expect, it } from 'vitest';
import type { Env, InferenceSession, InferenceSessionFactory, TensorConstructor } from 'onnxruntime-common';
import { OrtBackend } from '../../../src/runtime/ort-backend.ts';

/** A runtime whose sessions cannot be made, for the reason given. */
function failing(message: string): OrtBackend {
  const factory: Pick<InferenceSessionFactory, 'create'> = { create: (): Promise<InferenceSession> => Promise.reject(new Error(message)) };
  const ort = { env: {} as Env, Tensor: class {} as unknown as TensorConstructor, InferenceSession: factory as InferenceSessionFactory };
  return new OrtBackend(ort, { kind: 'wasm', executionProviders: ['wasm'] });
}

describe('a graph that cannot be compiled', () => {
  it('is told apart from a runtime that did not arrive', async () => {
    const missing = 'no available backend found. ERR: [wasm] RuntimeError: Aborted(both async and sync fetching of the wasm failed)';
    await expect(failing(missing).compile(new Uint8Array(), 'embed')).rejects.toMatchObject({ code: 'runtime-missing' });
    await expect(failing('unknown operator').compile(new Uint8Array(), 'embed')).rejects.toMatchObject({ code: 'graph-refused' });
  });
});
