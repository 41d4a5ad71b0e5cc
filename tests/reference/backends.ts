/** The backends on which everything is held against PyTorch; WebGPU, which Node lacks, is held against WASM in tests/browser. */
import { fileURLToPath } from 'node:url';
import type { Backend } from '../../src/runtime/backend.ts';
import { createNodeBackend } from '../../src/runtime/node.ts';
import { createWebBackend } from '../../src/runtime/web.ts';

const RUNTIME_FILES = fileURLToPath(new URL('../../node_modules/onnxruntime-web/dist/', import.meta.url));

export const BACKENDS: Record<string, () => Promise<Backend>> = {
  'Node\'s CPU build': () => Promise.resolve(createNodeBackend()),
  WASM: async () => (await createWebBackend({ prefer: 'wasm', assets: RUNTIME_FILES })).backend,
};
