/**
 * WebGPU on the command line: the browser's build of ONNX Runtime over Dawn, which the optional npm package `webgpu` brings. Needs a
 * Vulkan, Metal or Direct3D driver.
 */
import { fileURLToPath } from 'node:url';
import type { Backend, BackendInfo } from './backend.ts';
import { PlaygroundError } from './errors.ts';
import { createWebBackend } from './web.ts';

/** The part of the package that is used; it is not installed by default, so its types are not there either. */
interface Dawn {
  create(flags: string[]): GPU;
  globals: Record<string, unknown>;
}

const DAWN_PACKAGE = 'webgpu';

/** Throws a PlaygroundError (`no-webgpu`) when the package or an adapter is missing. */
export async function createNodeWebGpuBackend(): Promise<{ backend: Backend; info: BackendInfo }> {
  const dawn = await loadDawn();
  Object.assign(globalThis, dawn.globals);
  const gpu = dawn.create([]);
  copyShared(dawn);
  Object.defineProperty(globalThis, 'navigator', { value: { ...globalThis.navigator, gpu }, configurable: true });
  const assets = new URL('./', import.meta.resolve('onnxruntime-web/webgpu')).href;
  return createWebBackend({ prefer: 'webgpu', assets: fileURLToPath(assets) });
}

async function loadDawn(): Promise<Dawn> {
  try {
    return (await import(DAWN_PACKAGE)) as Dawn;
  } catch (cause) {
    throw new PlaygroundError(
      'no-webgpu',
      'WebGPU outside a browser needs the npm package "webgpu", which is not installed.',
      'Install it (npm install --no-save webgpu), or leave out --backend to run on the processor.',
      { cause },
    );
  }
}

/** Dawn's queue refuses views of shared memory, which is what the WASM heap is; a copy goes instead. */
function copyShared({ globals }: Dawn): void {
  const queue = (globals.GPUQueue as { prototype: GPUQueue }).prototype;
  const write = queue.writeBuffer;
  queue.writeBuffer = function (this: GPUQueue, buffer, offset, data, start, size) {
    const view: ArrayBufferView = ArrayBuffer.isView(data) ? data : new Uint8Array(data as ArrayBufferLike);
    if (!(view.buffer instanceof SharedArrayBuffer)) return write.call(this, buffer, offset, data as BufferSource, start, size);
    // Offsets are in elements for typed arrays and in bytes otherwise.
    const unit = ArrayBuffer.isView(data) && 'BYTES_PER_ELEMENT' in data ? (data as Uint8Array).BYTES_PER_ELEMENT : 1;
    const from = view.byteOffset + (start ?? 0) * unit;
    const length = size === undefined ? view.byteOffset + view.byteLength - from : size * unit;
    return write.call(this, buffer, offset, new Uint8Array(view.buffer, from, length).slice());
  } as GPUQueue['writeBuffer'];
}
