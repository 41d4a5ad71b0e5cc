import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { TrainerState } from '../../../src/marft/trainer-state.ts';
import { Autosave, type SavingNews } from '../../../src/run-store/autosave.ts';
import { CheckpointStore } from '../../../src/run-store/checkpoint-store.ts';
import { folderFiles } from '../../../src/run-store/folder-files.ts';
import { MemoryFiles } from './memory-files.ts';

const place = mkdtempSync(join(tmpdir(), 'marft-checkpoints-'));
afterAll(() => rmSync(place, { recursive: true }));

const IDENTITY = { experiment: { name: 'e' }, backend: 'cpu', model: 'm' } as const;
const REST = { ...IDENTITY, kept: false, record: { of: 'the keeper' } };
const ANY = (): null => null;

function stateOf(iteration: number): TrainerState {
  return {
    iteration,
    droppedInARow: 1,
    tensors: new Map([
      ['agent.a.w', { dims: [2, 1], data: Float32Array.of(iteration, Math.fround(0.1)) }],
      ['critic.0.gram', { dims: [3], data: Float64Array.of(0.1, Math.PI, -iteration) }],
      ['critic.0.ids', { dims: [1], data: Int32Array.of(2 ** 31 - 1) }],
    ]),
  };
}

async function storeOf(iterations: readonly number[], files = new MemoryFiles()): Promise<{ files: MemoryFiles; store: CheckpointStore }> {
  const store = new CheckpointStore(files);
  for (const iteration of iterations) await store.save(stateOf(iteration), REST);
  return { files, store };
}

async function loaded(store: CheckpointStore, at: number | null = null): Promise<{ iteration: number | undefined; told: string[] }> {
  const told: string[] = [];
  const checkpoint = await store.load(at, ANY, (sentence) => told.push(sentence));
  if (checkpoint) expect(checkpoint.state).toEqual(stateOf(checkpoint.manifest.iteration));
  return { iteration: checkpoint?.manifest.iteration, told };
}

describe('checkpoints', () => {
  it('hold what was saved, bit for bit, in a folder too', async () => {
    const store = new CheckpointStore(folderFiles(join(place, 'not', 'there yet')));
    expect(await store.load(null, ANY, () => undefined)).toBeNull();
    await store.save(stateOf(7), REST);
    const checkpoint = await store.load(null, ANY, () => undefined);
    expect(checkpoint?.state).toEqual(stateOf(7));
    expect(checkpoint?.manifest).toMatchObject({ iteration: 7, ...REST });
  });

  it('of the last two iterations stay, and those that are kept', async () => {
    const { files, store } = await storeOf([]);
    for (let k = 1; k <= 7; k++) await store.save(stateOf(k), { ...REST, kept: k % 3 === 0 });
    expect(await store.iterations()).toEqual([3, 6, 7]);
    await store.save(stateOf(8), REST);
    await store.save(stateOf(9), REST);
    expect(await store.iterations()).toEqual([3, 6, 8, 9]);
    expect(files.files.size).toBe(8);
    expect((await store.manifests()).map(({ kept }) => kept)).toEqual([true, true, false, false]);
  });

  it.each<[string, (files: MemoryFiles) => void]>([
    ['cut', (files) => files.files.set('iteration-3.safetensors', files.files.get('iteration-3.safetensors')?.slice(0, 100) ?? new Uint8Array(0))],
    ['changed in one byte', (files) => (files.files.get('iteration-3.safetensors')?.set([77], 250), undefined)],
    ['without tensors', (files) => void files.files.delete('iteration-3.safetensors')],
    ['with half a manifest', (files) => files.files.set('iteration-3.json', files.files.get('iteration-3.json')?.slice(0, 100) ?? new Uint8Array(0))],
    ['with another one’s manifest', (files) => files.files.set('iteration-3.json', files.files.get('iteration-2.json') ?? new Uint8Array(0))],
  ])('that are %s are passed over with a sentence, for the generation before', async (_, damage) => {
    const { files, store } = await storeOf([1, 2, 3]);
    damage(files);
    const { iteration, told } = await loaded(store);
    expect(iteration).toBe(2);
    expect(told).toEqual([expect.stringMatching(/^The checkpoint of iteration 3 is passed over\. The checkpoint is damaged: .*\.$/)]);
    await expect(loaded(store, 3)).rejects.toMatchObject({ code: 'checkpoint-broken' });
  });

  it('that the run’s other files do not go with are passed over too', async () => {
    const { store } = await storeOf([1, 2]);
    const told: string[] = [];
    const found = await store.load(null, ({ iteration }) => (iteration > 1 ? 'The metrics are shorter.' : null), (sentence) => told.push(sentence));
    expect(found?.manifest.iteration).toBe(1);
    expect(told).toEqual(['The checkpoint of iteration 2 is passed over. The metrics are shorter.']);
  });

  it.each([0, 1])('that were not finished leave the one before and nothing else (after %i of two files)', async (written) => {
    const { files, store } = await storeOf([1, 2]);
    files.writesLeft = written;
    await expect(store.save(stateOf(3), REST)).rejects.toThrow('The disk is full.');
    expect(await loaded(store)).toEqual({ iteration: 2, told: [] });
    files.writesLeft = Infinity;
    await store.save(stateOf(4), REST);
    expect([...files.files.keys()].sort()).toEqual(['iteration-2.json', 'iteration-2.safetensors', 'iteration-4.json', 'iteration-4.safetensors']);
  });

  it('can be gone back to by iteration, and what came later is then discarded', async () => {
    const { store } = await storeOf([1, 2]);
    expect((await loaded(store, 1)).iteration).toBe(1);
    await expect(store.load(5, ANY, () => undefined)).rejects.toMatchObject({ code: 'checkpoint-missing', hint: 'There are those of 1 and 2.' });
    await store.discardAfter(1);
    expect(await store.iterations()).toEqual([1]);
  });

  it('of a newer format are refused with what to do', async () => {
    const { files, store } = await storeOf([1]);
    const manifest = JSON.parse(new TextDecoder().decode(files.files.get('iteration-1.json'))) as object;
    files.files.set('iteration-1.json', new TextEncoder().encode(JSON.stringify({ ...manifest, version: 9 })));
    const told: string[] = [];
    await expect(store.load(null, ANY, (sentence) => told.push(sentence))).rejects.toThrow('No checkpoint of this run can be gone on from.');
    expect(told.join()).toContain('The checkpoint is of version 9; this program reads version 1.');
  });

  it('leave no temporary file behind, nor where they cannot be written', async () => {
    const folder = join(place, 'occupied');
    mkdirSync(join(folder, 'iteration-1.json'), { recursive: true });
    await expect(new CheckpointStore(folderFiles(folder)).save(stateOf(1), REST)).rejects.toMatchObject({ code: 'not-writable' });
    expect(readdirSync(folder).sort()).toEqual(['iteration-1.json', 'iteration-1.safetensors']);
  });
});

describe('saving as a run goes', () => {
  const trainerAt = (iteration: number) => ({ iteration, state: () => Promise.resolve(stateOf(iteration)) });

  it('happens when it is due, and once', async () => {
    const files = new MemoryFiles();
    const store = new CheckpointStore(files);
    const autosave = new Autosave(store, IDENTITY, { every: 3, keepEvery: 4, record: () => null, tell: () => undefined }, null);
    for (let k = 1; k <= 10; k++) await autosave.afterIteration(trainerAt(k));
    expect(await store.iterations()).toEqual([4, 8, 9]);
    await autosave.save(trainerAt(10));
    files.writesLeft = 0;
    await autosave.save(trainerAt(10));
    expect(await store.iterations()).toEqual([4, 8, 9, 10]);
  });

  it('goes on when there is no room, says so once, and says when it works again', async () => {
    const files = new MemoryFiles();
    const news: SavingNews[] = [];
    const autosave = new Autosave(new CheckpointStore(files), IDENTITY, { every: 1, keepEvery: 0, record: () => null, tell: (one) => news.push(one) }, null);
    await autosave.afterIteration(trainerAt(1));
    files.writesLeft = 0;
    await autosave.afterIteration(trainerAt(2));
    await autosave.afterIteration(trainerAt(3));
    files.writesLeft = Infinity;
    await autosave.afterIteration(trainerAt(4));
    expect(news).toEqual([
      { saved: 1, problem: 'The disk is full. Make room.' },
      { saved: 4, problem: null },
    ]);
  });
});
