/** What the page's own address says: where its files lie, and which backend is wished for. */
import type { Places, PreferredBackend } from './trainer/protocol.ts';
import { DEFAULT_PRESET } from './state/draft.svelte.ts';

export interface Address {
  places: Places;
  /** `?backend=webgpu` or `?backend=wasm`; `auto` otherwise. */
  prefer: PreferredBackend;
  /** Where a recorded run may lie. */
  recordedRun: string;
}

/** Reads `document.baseURI`. The page may be served under any path, so everything is relative to it. */
export function readAddress(page: string): Address {
  const base = new URL(page);
  const wanted = base.searchParams.get('backend');
  return {
    places: { ort: new URL('ort/', base).href, models: new URL('models/', base).href },
    prefer: wanted === 'webgpu' || wanted === 'wasm' ? wanted : 'auto',
    recordedRun: new URL(`recorded/${DEFAULT_PRESET}.json`, base).href,
  };
}
