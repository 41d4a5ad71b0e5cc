/** The page's side of working without a network. Where there can be no service worker, nothing is different. */
import type { BackendInfo } from '../../runtime/backend.ts';

/** What ONNX Runtime loads for each backend. */
const RUNTIME: Record<'wasm' | 'webgpu', readonly string[]> = {
  wasm: ['ort/ort-wasm-simd-threaded.mjs', 'ort/ort-wasm-simd-threaded.wasm'],
  webgpu: ['ort/ort-wasm-simd-threaded.asyncify.mjs', 'ort/ort-wasm-simd-threaded.asyncify.wasm'],
};

/** Call once the page has loaded, with the page's address. */
export async function keepForOffline(page: string): Promise<void> {
  // While developing, files have no names that say what they hold.
  if (!import.meta.env.PROD || !('serviceWorker' in navigator) || !/^https?:$/.test(new URL(page).protocol)) return;
  try {
    await navigator.serviceWorker.register(new URL('service-worker.js', page), { updateViaCache: 'none' });
  } catch {
    // Refused, for example in a private window: the page needs a network then, as before.
  }
}

/** Call when it is known what the page computes with. */
export async function keepRuntime(kind: BackendInfo['kind']): Promise<void> {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator) || (kind !== 'wasm' && kind !== 'webgpu')) return;
  const { active } = await navigator.serviceWorker.ready;
  active?.postMessage({ keep: RUNTIME[kind] });
}
