/** The critic: the shared frozen base, optionally with an adapter of its own, under a value head. */
import { Random } from '../random/random.ts';
import { sizeOf } from '../onnx/graph.ts';
import type { LoraSpec } from '../qwen/lora.ts';
import { featureCount, featuresGraph, valueBackwardGraph, valueGraph, valueHeadShapes } from '../qwen/value-head.ts';
import { disposeAll, pick, readFloats, type DeviceTensor, type TensorRecord } from '../runtime/backend.ts';
import { adapterGroups } from './adapter.ts';
import { addGroupsGraph } from './adamw.ts';
import type { Base } from './base.ts';
import { backwardThroughBlocks, forwardStates, type AdapterUse } from './forward.ts';
import { stateInputs } from './reading.ts';
import { ParameterSet, type ParameterGroup } from './parameter-set.ts';
import { valuePlans, type ValuePlan } from './value-plan.ts';
import type { StepOptions, StepResult, TensorMap, ValueFunction, ValuedSequence } from './types.ts';

const FEATURE_MEAN = 'value.feature_mean';
const FEATURE_SCALE = 'value.feature_scale';
/** Features are never amplified beyond 1/this. */
const MIN_DEVIATION = 1e-3;

export class BaseValueFunction implements ValueFunction {
  readonly #parameters: ParameterSet;
  readonly #adapter: AdapterUse | null;
  readonly #headGroup: number;
  /** Mean and inverse deviation of each feature, taken from the first batch that is valued. */
  #standard: { mean: Float32Array; scale: Float32Array } | null = null;

  constructor(
    private readonly base: Base,
    spec: LoraSpec | null,
    seed: number,
  ) {
    const layers = spec ? adapterGroups(base, spec, seed) : [];
    this.#parameters = new ParameterSet(base, [...layers, headGroup(base, seed)]);
    this.#adapter = spec ? { spec, parameters: this.#parameters } : null;
    this.#headGroup = layers.length;
  }

  async values(batch: readonly ValuedSequence[]): Promise<Float32Array[]> {
    const result: Float32Array[] = [];
    for (const part of valuePlans(batch, this.base.limits)) {
      const states = await forwardStates(this.base, part.padded, this.#adapter);
      await this.#standardise(part, states);
      const rows = part.padded.ids.length;
      const tokens = part.chunk.index.length;
      const program = await this.base.program(`value ${rows} ${tokens}`, () => valueGraph(this.base.config, rows, tokens));
      const inputs = this.#inputs(part);
      const outputs = await program.run({ ...inputs, ...stateInputs(this.base, states), ...this.#parameters.group(this.#headGroup) });
      const values = await readFloats(this.base.backend, pick(outputs, 'value'));
      let start = 0;
      for (const { positions } of part.sequences) {
        result.push(values.slice(start, start + positions.length));
        start += positions.length;
      }
      disposeAll([...states, ...Object.values(inputs), ...Object.values(outputs)]);
    }
    return result;
  }

  async backward(batch: readonly ValuedSequence[], cotangents: readonly Float32Array[]): Promise<void> {
    let row = 0;
    for (const part of valuePlans(batch, this.base.limits)) {
      const own = cotangents.slice(row, row + part.sequences.length);
      row += part.sequences.length;
      const states = await forwardStates(this.base, part.padded, this.#adapter);
      await this.#standardise(part, states);
      const rows = part.padded.ids.length;
      const tokens = part.chunk.index.length;
      const dvalue = new Float32Array(tokens);
      dvalue.set(own.flatMap((values) => [...values]));
      const intoStates = this.#adapter !== null;
      const program = await this.base.program(`value-backward ${rows} ${tokens} ${intoStates}`, () =>
        valueBackwardGraph(this.base.config, rows, tokens, intoStates),
      );
      const inputs: TensorRecord = {
        ...this.#inputs(part),
        dvalue: this.base.backend.upload(dvalue, [tokens]),
        ...(intoStates ? { inverse: this.base.backend.upload(part.chunk.inverse, [rows]) } : {}),
      };
      const outputs = await program.run({ ...inputs, ...stateInputs(this.base, states), ...this.#parameters.group(this.#headGroup) });
      disposeAll(Object.values(inputs));
      const gradient = Object.keys(valueHeadShapes(this.base.config)).map((name) => [name, pick(outputs, `d.${name}`)] as const);
      await this.#parameters.accumulate(this.#headGroup, Object.fromEntries(gradient));
      if (this.#adapter) await this.#intoBlocks(part, this.#adapter, states, outputs);
      disposeAll(states);
    }
  }

  step(options: StepOptions): Promise<StepResult> {
    return this.#parameters.step(options);
  }

  zeroGrad(): Promise<void> {
    return this.#parameters.zeroGrad();
  }

  norm(): Promise<number> {
    return this.#parameters.norm();
  }

  async parameters(): Promise<TensorMap> {
    return this.#withStandard(await this.#parameters.parameters());
  }

  async state(): Promise<TensorMap> {
    return this.#withStandard(await this.#parameters.state());
  }

  async restore(state: TensorMap): Promise<void> {
    const parameters = new Map(state);
    for (const name of [FEATURE_MEAN, FEATURE_SCALE]) parameters.delete(name);
    await this.#parameters.restore(parameters);
    const mean = state.get(FEATURE_MEAN)?.data;
    const scale = state.get(FEATURE_SCALE)?.data;
    this.#standard = mean && scale ? { mean: mean.slice(), scale: scale.slice() } : null;
  }

  dispose(): void {
    this.#parameters.dispose();
  }

  async #intoBlocks(part: ValuePlan, adapter: AdapterUse, states: readonly DeviceTensor[], outputs: TensorRecord): Promise<void> {
    const shape = { x: [part.padded.ids.length, this.base.config.hiddenSize] };
    await backwardThroughBlocks(this.base, part.padded, adapter, { states }, async (state, above) => {
      const own = outputs[`dstate.${state}`];
      if (!own || !above) return own ?? required(above);
      const program = await this.base.program(`add ${JSON.stringify(shape)}`, () => addGroupsGraph(shape));
      const sum = pick(await program.run({ 'a.x': own, 'b.x': above }), 'x');
      disposeAll([own, above]);
      return sum;
    });
  }

  /** Fixes the features' mean and deviation at the first batch; later batches keep them, so that values stay comparable. */
  async #standardise(part: ValuePlan, states: readonly DeviceTensor[]): Promise<void> {
    if (this.#standard) return;
    const rows = part.padded.ids.length;
    const tokens = part.chunk.index.length;
    const program = await this.base.program(`features ${rows} ${tokens}`, () => featuresGraph(this.base.config, rows, tokens));
    const index = this.base.backend.upload(part.chunk.index, [tokens]);
    const outputs = await program.run({ index, ...stateInputs(this.base, states) });
    const values = await readFloats(this.base.backend, pick(outputs, 'features'));
    this.#standard = moments(values, part.chunk.used, featureCount(this.base.config));
    disposeAll([index, ...Object.values(outputs)]);
  }

  #inputs({ chunk }: ValuePlan): TensorRecord {
    if (!this.#standard) throw new Error('the features have not been standardised');
    const { mean, scale } = this.#standard;
    return {
      index: this.base.backend.upload(chunk.index, [chunk.index.length]),
      mean: this.base.backend.upload(mean, [mean.length]),
      scale: this.base.backend.upload(scale, [scale.length]),
    };
  }

  #withStandard(map: TensorMap): TensorMap {
    if (this.#standard) {
      const dims = [this.#standard.mean.length];
      map.set(FEATURE_MEAN, { dims, data: this.#standard.mean.slice() });
      map.set(FEATURE_SCALE, { dims, data: this.#standard.scale.slice() });
    }
    return map;
  }
}

function headGroup(base: Base, seed: number): ParameterGroup {
  const shapes = valueHeadShapes(base.config);
  const random = new Random(seed, base.config.layers);
  const bound = featureCount(base.config) ** -0.5;
  const up = Float32Array.from({ length: sizeOf(shapes['value.up.weight'] ?? []) }, () => (2 * random.next() - 1) * bound);
  return {
    names: Object.fromEntries(Object.keys(shapes).map((name) => [name, name])),
    shapes,
    // Everything else starts at zero: before its first step the critic says 0 everywhere.
    initial: { 'value.up.weight': up },
  };
}

function moments(values: Float32Array, rows: number, width: number): { mean: Float32Array; scale: Float32Array } {
  const mean = new Float32Array(width);
  const scale = new Float32Array(width);
  for (let column = 0; column < width; column++) {
    let sum = 0;
    for (let row = 0; row < rows; row++) sum += values[row * width + column] ?? 0;
    const average = sum / rows;
    let squares = 0;
    for (let row = 0; row < rows; row++) squares += ((values[row * width + column] ?? 0) - average) ** 2;
    mean[column] = average;
    scale[column] = 1 / Math.max(MIN_DEVIATION, Math.sqrt(squares / rows));
  }
  return { mean, scale };
}

function required(tensor: DeviceTensor | null | undefined): DeviceTensor {
  if (!tensor) throw new Error('a hidden state was lost');
  return tensor;
}
