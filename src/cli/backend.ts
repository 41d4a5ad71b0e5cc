import { availableParallelism } from 'node:os';
import type { Backend, BackendInfo } from '../runtime/backend.ts';
import { createNodeBackend } from '../runtime/node.ts';
import type { CommandLineBackend } from './backend-kinds.ts';

/** The backend asked for. Throws a PlaygroundError when this machine lacks what it needs. */
export async function openBackend(kind: CommandLineBackend): Promise<{ backend: Backend; info: BackendInfo }> {
  if (kind === 'cpu') {
    const info: BackendInfo = { kind, label: 'CPU', reason: 'Small models run fastest on one thread, large ones on all.', remedy: '' };
    return { backend: createNodeBackend({ threads: availableParallelism() }), info };
  }
  const { createNodeWebGpuBackend } = await import('../runtime/node-webgpu.ts');
  return createNodeWebGpuBackend();
}
