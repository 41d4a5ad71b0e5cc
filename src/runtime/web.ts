/** Backends of the browser: which one runs here, why, and what a user can do to get a faster one. */
import type { Backend, BackendInfo } from './backend.ts';
import { PlaygroundError } from './errors.ts';
import { WatchedDevice } from './gpu-device.ts';
import { OrtBackend } from './ort-backend.ts';

export interface WebBackendOptions {
  /** `auto` never takes a software adapter; `webgpu` takes any adapter there is. */
  prefer: 'auto' | 'webgpu' | 'wasm';
  /** Absolute address of the folder that serves ONNX Runtime's own .mjs and .wasm files, ending in `/`. */
  assets: string;
}

/** What is known about the GPU without starting anything on it. */
type GpuReport =
  | { kind: 'hardware'; adapter: GPUAdapter; name: string }
  | { kind: 'software'; adapter: GPUAdapter; name: string; reason: string; remedy: string }
  | { kind: 'none'; reason: string; remedy: string };

/** Call inside a worker. Throws `no-webgpu` when WebGPU was asked for by name and is missing. */
export async function createWebBackend(options: WebBackendOptions): Promise<{ backend: Backend; info: BackendInfo }> {
  if (options.prefer === 'wasm') return wasmBackend(options.assets, 'WASM was asked for.', '');
  const gpu = await inspectGpu();
  if (gpu.kind === 'hardware') return webgpuBackend(options.assets, gpu, `A GPU was found: ${gpu.name}.`);
  if (options.prefer === 'webgpu') {
    if (gpu.kind === 'none') throw new PlaygroundError('no-webgpu', gpu.reason, `Take "backend=webgpu" out of the address to train on the processor (WASM). ${gpu.remedy}`);
    return webgpuBackend(options.assets, gpu, 'A software adapter was asked for; it is far slower than WASM.');
  }
  const reason = gpu.kind === 'none' ? `${gpu.reason.replace(/\.$/, '')}, so the model runs on the processor (WASM).` : gpu.reason;
  return wasmBackend(options.assets, reason, gpu.remedy);
}

async function inspectGpu(): Promise<GpuReport> {
  const none = (reason: string, remedy: string): GpuReport => ({ kind: 'none', reason, remedy });
  if (!('gpu' in navigator)) {
    return none(
      'This browser offers no WebGPU here.',
      isSecureContext ? 'A current Chrome, Edge, Firefox or Safari has WebGPU.' : 'WebGPU needs https or localhost.',
    );
  }
  let adapter: GPUAdapter | null;
  try {
    adapter = await navigator.gpu.requestAdapter({ powerPreference: 'high-performance' });
  } catch {
    adapter = null;
  }
  if (!adapter) {
    return none(
      'No GPU adapter was found.',
      'If this computer has a GPU, turn on hardware acceleration in the browser settings and update the graphics driver.',
    );
  }
  const name = [adapter.info.vendor, adapter.info.description || adapter.info.architecture].filter(Boolean).join(' ') || 'unnamed GPU';
  if (isSoftware(adapter, name)) {
    return {
      kind: 'software',
      adapter,
      name,
      reason: 'The only GPU adapter is emulated in software, which is slower than WASM, so the model runs on WASM.',
      remedy: 'If this computer has a GPU, turn on hardware acceleration in the browser settings and update the graphics driver.',
    };
  }
  return { kind: 'hardware', adapter, name };
}

function isSoftware(adapter: GPUAdapter, name: string): boolean {
  const flagged = adapter.info.isFallbackAdapter;
  return flagged || /swiftshader|llvmpipe|lavapipe|software|basic render/i.test(`${name} ${adapter.info.device}`);
}

/** More threads than this gain nothing where all wait for one memory. */
const MAX_THREADS = 8;

async function wasmBackend(assets: string, reason: string, remedy: string): Promise<{ backend: Backend; info: BackendInfo }> {
  const ort = await import('onnxruntime-web/wasm');
  ort.env.wasm.wasmPaths = assets;
  // Threads share memory, which browsers only give to pages that are isolated by their headers.
  const threads = globalThis.crossOriginIsolated ? Math.min(navigator.hardwareConcurrency, MAX_THREADS) : 1;
  const backend = new OrtBackend(ort, { kind: 'wasm', executionProviders: ['wasm'], threads });
  return { backend, info: { kind: 'wasm', label: 'WASM', reason, remedy } };
}

async function webgpuBackend(
  assets: string,
  { adapter, name }: { adapter: GPUAdapter; name: string },
  reason: string,
): Promise<{ backend: Backend; info: BackendInfo }> {
  const ort = await import('onnxruntime-web/webgpu');
  ort.env.wasm.wasmPaths = assets;
  ort.env.wasm.numThreads = 1;
  const device = await adapter.requestDevice({
    requiredFeatures: usefulFeatures(adapter),
    requiredLimits: Object.fromEntries(RAISED_LIMITS.map((limit) => [limit, adapter.limits[limit]])),
  });
  // Handed over with the session: a device in ort.env is ignored, and buffers of two devices do not mix.
  const backend = new OrtBackend(ort, { kind: 'webgpu', executionProviders: [{ name: 'webgpu', device }], device: new WatchedDevice(device) });
  return { backend, info: { kind: 'webgpu', label: `WebGPU: ${name}`, reason, remedy: '' } };
}

/** Features that ONNX Runtime's kernels use where they exist. */
const USEFUL_FEATURES = ['shader-f16', 'subgroups', 'timestamp-query'] as const;

/**
 * ONNX Runtime's attention over a prompt of more than 16 tokens is wrong where a subgroup has 4 lanes, as on SwiftShader;
 * without the feature it takes another, right kernel.
 */
const SMALLEST_SUBGROUP = 8;

function usefulFeatures(adapter: GPUAdapter): GPUFeatureName[] {
  const subgroups = (adapter.info.subgroupMinSize ?? 0) >= SMALLEST_SUBGROUP;
  return USEFUL_FEATURES.filter((feature) => adapter.features.has(feature) && (feature !== 'subgroups' || subgroups));
}

/** Limits that are raised from WebGPU's defaults to what the adapter has: large weights and many bindings a kernel. */
const RAISED_LIMITS = [
  'maxBufferSize',
  'maxStorageBufferBindingSize',
  'maxComputeWorkgroupStorageSize',
  'maxComputeInvocationsPerWorkgroup',
  'maxComputeWorkgroupSizeX',
  'maxComputeWorkgroupSizeY',
  'maxComputeWorkgroupSizeZ',
  'maxComputeWorkgroupsPerDimension',
  'maxStorageBuffersPerShaderStage',
] as const;
