/** What other parts of the page may ask of the runs: open one that is stored, or lay a recorded curve over others. */
import type { ComparedRun } from '../../experiment/compare-runs.ts';
import type { Playground } from '../state/playground.svelte.ts';
import type { RunsStore } from './runs.svelte.ts';

const stores = new WeakMap<Playground, Promise<RunsStore>>();

/** The page's one list of runs; its code is fetched with the first call. */
export function runsOf(playground: Playground): Promise<RunsStore> {
  const known = stores.get(playground);
  if (known !== undefined) return known;
  const store = import('./runs.svelte.ts').then(({ RunsStore: Store }) => new Store(playground));
  stores.set(playground, store);
  // A chunk that could not be loaded must not be what the next attempt finds.
  store.catch(() => stores.delete(playground));
  return store;
}

/** Shows a stored run's curves and transcripts in the playground. */
export async function openRun(playground: Playground, id: string): Promise<void> {
  await (await runsOf(playground)).show(id);
}

/** Puts recorded curves and stored runs (by id) side by side under Runs → Compare. */
export async function overlayRuns(playground: Playground, recorded: readonly ComparedRun[], stored: readonly string[] = []): Promise<void> {
  const store = await runsOf(playground);
  playground.view = 'runs';
  await store.compareRuns(stored);
  await store.compare.add(recorded);
}
