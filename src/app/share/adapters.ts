/** What agents have learned, on its way into a link and out of one. */
import { ADAPTER_CONFIG, ADAPTER_WEIGHTS } from '../../checkpoint/peft.ts';
import type { AdapterUpload } from '../../experiment/import-adapter.ts';
import { fromBase64, toBase64 } from '../../experiment/link/packing.ts';
import type { SharedAdapters } from '../../experiment/link/parts.ts';

export function sharedAdapters(files: ReadonlyMap<string, ReadonlyMap<string, Uint8Array>>): SharedAdapters {
  const shared: SharedAdapters = {};
  for (const [agent, adapter] of files) {
    const [config, weights] = [adapter.get(ADAPTER_CONFIG), adapter.get(ADAPTER_WEIGHTS)];
    if (config && weights) shared[agent] = { c: new TextDecoder().decode(config), w: toBase64(weights) };
  }
  return shared;
}

export function adapterUploads(shared: SharedAdapters): [string, AdapterUpload][] {
  return Object.entries(shared).map(([agent, { c, w }]) => [agent, { config: c, weights: fromBase64(w) }]);
}
