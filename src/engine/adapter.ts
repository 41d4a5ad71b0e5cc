/** A LoRA adapter's parameters: one group a layer, named as PEFT names them. */
import { Random } from '../random/random.ts';
import { sizeOf } from '../onnx/graph.ts';
import { loraScale, loraShapes, type LoraSpec } from '../qwen/lora.ts';
import { blockTensor } from '../qwen/parameters.ts';
import type { Base } from './base.ts';
import { ParameterSet, type ParameterGroup } from './parameter-set.ts';

/** PEFT's name of an adapter tensor. */
export function peftName(layer: number, inner: string): string {
  return `base_model.model.${blockTensor(layer, inner)}`;
}

/**
 * The groups of a fresh adapter: A uniform in ±1/√in (PEFT's Kaiming initialisation with a = √5), B zero, so that the policy starts as
 * the base.
 */
export function adapterGroups(base: Base, spec: LoraSpec, seed: number): ParameterGroup[] {
  const shapes = loraShapes(base.config, spec);
  return Array.from({ length: base.config.layers }, (_, layer) => {
    const names = Object.fromEntries(Object.keys(shapes).map((inner) => [inner, peftName(layer, inner)]));
    const initial: Record<string, Float32Array> = {};
    Object.entries(shapes).forEach(([inner, shape], i) => {
      if (!inner.endsWith('lora_A.weight')) return;
      const random = new Random(seed, layer, i);
      const bound = (shape[1] ?? 1) ** -0.5;
      initial[inner] = Float32Array.from({ length: sizeOf(shape) }, () => (2 * random.next() - 1) * bound);
    });
    return { names, shapes, initial };
  });
}

export function createAdapter(base: Base, spec: LoraSpec, seed: number): ParameterSet {
  return new ParameterSet(base, adapterGroups(base, spec, seed));
}

/** The part of a program's key that an adapter decides. */
export function loraKey(spec: LoraSpec | null): string {
  return spec ? `r${spec.rank} s${loraScale(spec)} ${spec.targets.join()}` : 'base';
}
