/** Both sides' WASM: one module of ONNX Runtime, one thread, in Node. */
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type * as Transformers from '@huggingface/transformers';
import type { InferenceSession } from 'onnxruntime-common';
import type { Backend } from '../../src/runtime/backend.ts';
import { createWebBackend } from '../../src/runtime/web.ts';

const ASSETS = `${dirname(fileURLToPath(import.meta.resolve('onnxruntime-web/wasm')))}/`;

export async function wasmBackend(): Promise<Backend> {
  return (await createWebBackend({ prefer: 'wasm', assets: ASSETS })).backend;
}

/** transformers.js on the same module as `wasmBackend`; in Node it would take its CPU build otherwise. */
export async function transformersOnWasm(): Promise<typeof Transformers> {
  const ort = await import('onnxruntime-web/wasm');
  ort.env.wasm.wasmPaths = ASSETS;
  ort.env.wasm.numThreads = 1;
  // In Node transformers.js hands over a path, which the browsers' build would take for an address.
  const InferenceSession = {
    create: async (model: string | Uint8Array, options: InferenceSession.SessionOptions) =>
      ort.InferenceSession.create(typeof model === 'string' ? new Uint8Array(await readFile(model)) : model, options),
  };
  // What transformers.js looks for before it chooses a build by itself.
  Object.assign(globalThis, { [Symbol.for('onnxruntime')]: { ...ort, InferenceSession } });
  const transformers = await import('@huggingface/transformers');
  transformers.env.allowRemoteModels = false;
  return transformers;
}
