/** The fixtures that Python wrote, and how close to them is close enough. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { openFolder } from '../../src/checkpoint/folder-source.ts';
import { ADAPTER_CONFIG, ADAPTER_WEIGHTS, readAdapter } from '../../src/checkpoint/peft.ts';
import { openRepository, type Repository } from '../../src/checkpoint/repository.ts';
import { readSafetensors } from '../../src/checkpoint/safetensors.ts';
import type { TensorMap, TokenSequence } from '../../src/engine/types.ts';
import type { LoraSettings } from '../../src/marft/settings.ts';

const FIXTURES = new URL('./fixtures/', import.meta.url);

/** Small random models: tied and untied, one to seven query heads a key head, in f32, f16 and bf16, whole and in shards. */
export const MODELS = ['qwen2-tied', 'qwen2-untied', 'qwen3-tied', 'qwen2-seven', 'qwen3-untied'] as const;

/** Difference that is allowed, relative to the largest number compared. */
export const TOLERANCE = 1e-4;
const FLOOR = 1e-6;

export interface JsonSequence {
  prompt: number[];
  tokens: number[];
}

/** Epochs of PPO: one number each, but `after`, the tokens' log-probs at the end. */
interface PpoEpochs {
  losses: number[];
  clipfracs: number[];
  gradNorms: number[];
  after: number[];
}

export interface PpoReference {
  clip: number;
  entropyCoef: number;
  klLossCoef: number;
  advantages: number[];
  old: number[];
  step: PpoEpochs;
  update: PpoEpochs;
}

export type AdapterName = 'all' | 'qv';

/** `manifest.json` of a model's fixtures. */
export interface Manifest {
  sequences: JsonSequence[];
  rank: number;
  alpha: number;
  adapters: Record<AdapterName, LoraSettings['targets']>;
  temperatures: number[];
  lossTemperature: number;
  optimizer: { learningRate: number; weightDecay: number; maxGradNorm: number };
  greedy: Record<'base' | AdapterName, number[][]> & { maxNewTokens: number; stopId: number };
  training: Record<AdapterName, { losses: number[]; gradNorms: number[] }>;
  ppo: Record<AdapterName, PpoReference>;
  fullLoss: number;
}

export function hasFixture(path: string): boolean {
  return existsSync(new URL(path, FIXTURES));
}

export function fixtureFile(path: string): Uint8Array {
  return new Uint8Array(readFileSync(new URL(path, FIXTURES)));
}

/** The caller names the type of what the Python script wrote. */
export function fixtureJson<T>(path: string): T {
  return JSON.parse(new TextDecoder().decode(fixtureFile(path))) as T;
}

/** Tensors whose names begin with `prefix`, without it. */
export function below(tensors: TensorMap, prefix: string): TensorMap {
  const inside = [...tensors].filter(([name]) => name.startsWith(prefix));
  if (inside.length === 0) throw new Error(`the fixture has no ${prefix}`);
  return new Map(inside.map(([name, tensor]) => [name.slice(prefix.length), tensor]));
}

export function fixtureTensors(path: string): TensorMap {
  return readSafetensors(fixtureFile(path));
}

export function fixtureAdapter(folder: string): { lora: LoraSettings; parameters: TensorMap } {
  return readAdapter(new TextDecoder().decode(fixtureFile(`${folder}/${ADAPTER_CONFIG}`)), fixtureFile(`${folder}/${ADAPTER_WEIGHTS}`));
}

export function fixtureRepository(model: string): Promise<Repository> {
  return openRepository(openFolder(fileURLToPath(new URL(`${model}`, FIXTURES))));
}

export function sequences(batch: readonly JsonSequence[]): TokenSequence[] {
  return batch.map(({ prompt, tokens }) => ({ prompt: Int32Array.from(prompt), tokens: Int32Array.from(tokens) }));
}

/** Numbers of all rows after each other. */
export function flat(rows: readonly Float32Array[]): number[] {
  return rows.flatMap((row) => [...row]);
}

export function expectClose(actual: ArrayLike<number>, expected: ArrayLike<number>, what: string): void {
  expect(actual.length, `numbers of ${what}`).toBe(expected.length);
  let scale = 0;
  let worst = 0;
  for (let i = 0; i < expected.length; i++) {
    const [a, b] = [actual[i] ?? Number.NaN, expected[i] ?? Number.NaN];
    scale = Math.max(scale, Math.abs(b));
    const difference = Math.abs(a - b);
    // A difference that is not a number is the worst there is.
    worst = difference <= worst ? worst : difference;
  }
  expect(worst, `largest difference in ${what}, whose largest number is ${scale}`).toBeLessThanOrEqual(TOLERANCE * scale + FLOOR);
}

export function expectTensors(actual: TensorMap, expected: TensorMap, what: string): void {
  expect([...actual.keys()].sort(), `names of ${what}`).toEqual([...expected.keys()].sort());
  for (const [name, { dims, data }] of expected) {
    expect(actual.get(name)?.dims, `shape of ${name}`).toEqual(dims);
    expectClose(actual.get(name)?.data ?? [], data, `${what} ${name}`);
  }
}
