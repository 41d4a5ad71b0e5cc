/** A model on a device: the frozen base, and policies and critics on top of it. */
import type { LoraSpec } from '../qwen/lora.ts';
import type { Backend } from '../runtime/backend.ts';
import { createAdapter } from './adapter.ts';
import type { Base } from './base.ts';
import type { AdapterUse } from './forward.ts';
import { generate } from './generation.ts';
import { loadBase, type LoadOptions, type ModelFiles } from './load-base.ts';
import type { ParameterSet } from './parameter-set.ts';
import { readTranscripts } from './reading.ts';
import { backward, open, score } from './scoring.ts';
import type {
  GenerateOptions,
  Generation,
  LanguageModel,
  OpenPass,
  Policy,
  StepOptions,
  StepResult,
  TensorMap,
  TokenScores,
  TokenSequence,
  TranscriptReading,
  ValuedSequence,
  ValueFunction,
} from './types.ts';
import { BaseValueFunction } from './value-function.ts';

/** Uploads the base tensor by tensor. Throws PlaygroundErrors for unsupported or mismatched checkpoints. */
export async function loadLanguageModel(backend: Backend, files: ModelFiles, options?: LoadOptions): Promise<QwenModel> {
  return new QwenModel(await loadBase(backend, files, options));
}

export class QwenModel implements LanguageModel {
  readonly base: Pick<Policy, 'generate' | 'score'>;

  constructor(readonly shared: Base) {
    this.base = {
      generate: (prompts, options) => generate(shared, null, prompts, options),
      score: (batch, temperature) => score(shared, null, batch, temperature),
    };
  }

  createPolicy(adapter: LoraSpec, seed: number): Promise<LoraPolicy> {
    return Promise.resolve(new LoraPolicy(this.shared, { spec: adapter, parameters: createAdapter(this.shared, adapter, seed) }));
  }

  createValueFunction(adapter: LoraSpec | null, seed: number): Promise<ValueFunction> {
    return Promise.resolve(new BaseValueFunction(this.shared, adapter, seed));
  }

  read(batch: readonly ValuedSequence[]): Promise<TranscriptReading[]> {
    return readTranscripts(this.shared, batch);
  }

  deviceBytes(): number {
    return this.shared.backend.liveBytes();
  }

  dispose(): void {
    this.shared.dispose();
  }
}

/** The base under one adapter. */
export class LoraPolicy implements Policy {
  readonly #parameters: ParameterSet;

  constructor(
    private readonly base: Base,
    private readonly adapter: AdapterUse,
  ) {
    this.#parameters = adapter.parameters;
  }

  generate(prompts: readonly Int32Array[], options: GenerateOptions): Promise<Generation[]> {
    return generate(this.base, this.adapter, prompts, options);
  }

  score(batch: readonly TokenSequence[], temperature: number): Promise<TokenScores> {
    return score(this.base, this.adapter, batch, temperature);
  }

  open(batch: readonly TokenSequence[], temperature: number): Promise<OpenPass> {
    return open(this.base, this.adapter, batch, temperature);
  }

  backward(batch: readonly TokenSequence[], temperature: number, cotangents: TokenScores): Promise<void> {
    return backward(this.base, this.adapter, batch, temperature, cotangents);
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

  parameters(): Promise<TensorMap> {
    return this.#parameters.parameters();
  }

  /** Accumulated gradients by PEFT name, before a step clears them. */
  gradients(): Promise<TensorMap> {
    return this.#parameters.gradients();
  }

  state(): Promise<TensorMap> {
    return this.#parameters.state();
  }

  restore(state: TensorMap): Promise<void> {
    return this.#parameters.restore(state);
  }

  dispose(): void {
    this.#parameters.dispose();
  }
}
