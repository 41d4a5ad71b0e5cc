/**
 * Trained tensors with their AdamW moments and accumulated gradients, on the device, in groups that share one optimiser graph
 * (an adapter has one group a layer).
 */
import { sizeOf } from '../onnx/graph.ts';
import type { Shapes } from '../qwen/parameters.ts';
import { disposeAll, pick, readFloats, type DeviceTensor, type TensorRecord } from '../runtime/backend.ts';
import { PlaygroundError } from '../runtime/errors.ts';
import { BETA1, BETA2, adamwGraph, addGroupsGraph, sumOfSquaresGraph } from './adamw.ts';
import type { Programs } from './programs.ts';
import type { StepOptions, StepResult, TensorMap, Trainable } from './types.ts';

export interface ParameterGroup {
  /** From the name inside the group (a graph's input) to the name outside (PEFT's, say). */
  names: Record<string, string>;
  shapes: Shapes;
  /** Initial values by inner name. */
  initial: Record<string, Float32Array>;
}

interface Group {
  names: Record<string, string>;
  shapes: Shapes;
  key: string;
  p: TensorRecord;
  m: TensorRecord;
  v: TensorRecord;
  g: TensorRecord | null;
}

const STEP_COUNTER = 'adam.step';

export class ParameterSet implements Trainable {
  readonly #groups: Group[];
  #steps = 0;

  constructor(
    private readonly programs: Programs,
    groups: readonly ParameterGroup[],
  ) {
    this.#groups = groups.map(({ names, shapes, initial }) => ({
      names,
      shapes,
      key: JSON.stringify(shapes),
      p: this.#upload(shapes, (name) => initial[name]),
      m: this.#upload(shapes, () => undefined),
      v: this.#upload(shapes, () => undefined),
      g: null,
    }));
  }

  /** Parameters of one group by inner name, as inputs; valid until the next step. */
  group(index: number): TensorRecord {
    return this.#group(index).p;
  }

  /** Adds to a group's gradient, taking over the tensors (by inner name). */
  async accumulate(index: number, gradient: TensorRecord): Promise<void> {
    const group = this.#group(index);
    const before = group.g;
    if (!before) {
      group.g = gradient;
      return;
    }
    const program = await this.programs.program(`add ${group.key}`, () => addGroupsGraph(group.shapes));
    group.g = await program.run({ ...prefixed('a.', before), ...prefixed('b.', gradient) });
    disposeAll(Object.values(before));
    disposeAll(Object.values(gradient));
  }

  async step({ learningRate, weightDecay, maxGradNorm }: StepOptions): Promise<StepResult> {
    const gradNorm = Math.sqrt(await this.#sumOfSquares((group) => group.g));
    if (!Number.isFinite(gradNorm)) {
      await this.zeroGrad();
      return { gradNorm, applied: false };
    }
    this.#steps += 1;
    const scalars: Record<string, number> = {
      // The small constant is PyTorch's, so that clipped steps agree to the last digit.
      clip: Math.min(1, maxGradNorm / (gradNorm + 1e-6)),
      rate: learningRate,
      decay: 1 - learningRate * weightDecay,
      bias1: 1 / (1 - BETA1 ** this.#steps),
      bias2: 1 / (1 - BETA2 ** this.#steps),
    };
    for (const group of this.#groups) {
      if (!group.g) continue;
      const program = await this.programs.program(`adamw ${group.key}`, () => adamwGraph(group.shapes));
      const inputs: TensorRecord = {
        ...prefixed('p.', group.p),
        ...prefixed('m.', group.m),
        ...prefixed('v.', group.v),
        ...prefixed('g.', group.g),
      };
      for (const [name, value] of Object.entries(scalars)) inputs[name] = this.programs.backend.upload(Float32Array.of(value), []);
      const outputs = await program.run(inputs);
      disposeAll(Object.values(inputs));
      group.g = null;
      for (const kind of ['p', 'm', 'v'] as const) {
        group[kind] = Object.fromEntries(Object.keys(group.shapes).map((name) => [name, pick(outputs, `next.${kind}.${name}`)]));
      }
    }
    return { gradNorm, applied: true };
  }

  zeroGrad(): Promise<void> {
    for (const group of this.#groups) {
      if (group.g) disposeAll(Object.values(group.g));
      group.g = null;
    }
    return Promise.resolve();
  }

  async norm(): Promise<number> {
    return Math.sqrt(await this.#sumOfSquares((group) => group.p));
  }

  parameters(): Promise<TensorMap> {
    return this.#export(['p']);
  }

  /** Accumulated gradients by outer name, for tests and inspection; a group without any is left out. */
  async gradients(): Promise<TensorMap> {
    const map: TensorMap = new Map();
    for (const { names, shapes, g } of this.#groups) {
      if (!g) continue;
      for (const [inner, outer] of Object.entries(names)) {
        map.set(outer, { dims: [...(shapes[inner] ?? [])], data: (await readFloats(this.programs.backend, pick(g, inner))).slice() });
      }
    }
    return map;
  }

  async state(): Promise<TensorMap> {
    const map = await this.#export(['p', 'm', 'v']);
    map.set(STEP_COUNTER, { dims: [1], data: Float32Array.of(this.#steps) });
    return map;
  }

  /** A state without moments (an imported adapter) starts with moments of zero. What is in the state must belong to this set. */
  async restore(state: TensorMap): Promise<void> {
    // Everything is checked before anything is uploaded or replaced.
    const known = new Set([STEP_COUNTER]);
    const fresh = this.#groups.map(({ names, shapes }) => {
      const values = (prefix: string, required: boolean): Map<string, Float32Array> => {
        const found = new Map<string, Float32Array>();
        for (const [inner, shape] of Object.entries(shapes)) {
          const name = `${prefix}${names[inner] ?? inner}`;
          known.add(name);
          if (required || state.has(name)) found.set(inner, saved(state, name, shape));
        }
        return found;
      };
      return { p: values('', true), m: values('adam.m.', false), v: values('adam.v.', false) };
    });
    for (const name of state.keys()) if (!known.has(name)) mismatch(`The saved ${name} is not a part of what it would be restored into.`);
    this.dispose();
    this.#groups.forEach((group, i) => {
      for (const kind of ['p', 'm', 'v'] as const) group[kind] = this.#upload(group.shapes, (name) => fresh[i]?.[kind].get(name));
      group.g = null;
    });
    this.#steps = state.get(STEP_COUNTER)?.data[0] ?? 0;
  }

  dispose(): void {
    for (const { p, m, v, g } of this.#groups) {
      for (const record of [p, m, v, g ?? {}]) disposeAll(Object.values(record));
    }
  }

  #group(index: number): Group {
    const group = this.#groups[index];
    if (!group) throw new RangeError(`there is no parameter group ${index}`);
    return group;
  }

  #upload(shapes: Shapes, values: (name: string) => Float32Array | undefined): TensorRecord {
    return Object.fromEntries(
      Object.entries(shapes).map(([name, shape]): [string, DeviceTensor] => [
        name,
        this.programs.backend.upload(values(name)?.slice() ?? new Float32Array(sizeOf(shape)), shape, true),
      ]),
    );
  }

  async #export(kinds: readonly ('p' | 'm' | 'v')[]): Promise<TensorMap> {
    const map: TensorMap = new Map();
    for (const kind of kinds) {
      for (const group of this.#groups) {
        for (const [inner, outer] of Object.entries(group.names)) {
          const data = await readFloats(this.programs.backend, pick(group[kind], inner));
          map.set(kind === 'p' ? outer : `adam.${kind}.${outer}`, { dims: [...(group.shapes[inner] ?? [])], data: data.slice() });
        }
      }
    }
    return map;
  }

  async #sumOfSquares(of: (group: Group) => TensorRecord | null): Promise<number> {
    let sum = 0;
    for (const group of this.#groups) {
      const tensors = of(group);
      if (!tensors) continue;
      const program = await this.programs.program(`squares ${group.key}`, () => sumOfSquaresGraph(group.shapes));
      const outputs = await program.run(tensors);
      sum += (await readFloats(this.programs.backend, pick(outputs, 'sum')))[0] ?? Number.NaN;
      disposeAll(Object.values(outputs));
    }
    return sum;
  }
}

function prefixed(prefix: string, tensors: TensorRecord): TensorRecord {
  return Object.fromEntries(Object.entries(tensors).map(([name, tensor]) => [prefix + name, tensor]));
}

function saved(state: TensorMap, name: string, shape: readonly number[]): Float32Array {
  const entry = state.get(name);
  if (!entry) return mismatch(`The saved ${name} is missing.`);
  if (entry.dims.join() !== shape.join() || entry.data.length !== sizeOf(shape)) {
    return mismatch(`The saved ${name} is of shape [${entry.dims.join()}]; [${shape.join()}] was expected.`);
  }
  return entry.data;
}

function mismatch(message: string): never {
  throw new PlaygroundError('state-mismatch', message, 'Use a checkpoint or adapter that was made with the same model, rank and targets.');
}
