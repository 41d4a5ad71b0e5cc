/** The two critics that an experiment can choose, behind one interface. */
import type { LanguageModel, StepOptions, ValueFunction, ValuedSequence } from '../engine/types.ts';
import { at, concat, mean, splitLike } from './arrays.ts';
import { CriticFeatures } from './critic-features.ts';
import { errorLoss } from './critic.ts';
import type { Random } from '../random/random.ts';
import { RidgeRegression } from './ridge.ts';
import type { AlgorithmSettings } from './settings.ts';
import { updateCritic, type CriticLesson, type CriticUpdate } from './update-critic.ts';

export interface Critic {
  /** Values per sequence, per position, in units of reward. */
  values(sequences: readonly ValuedSequence[]): Promise<Float32Array[]>;
  /** Learns what the values should have been. `random` orders whatever has an order. */
  learn(lesson: CriticLesson, random: Random): Promise<CriticUpdate>;
  dispose(): void;
}

export async function createCritic(model: LanguageModel, algorithm: AlgorithmSettings, seed: number): Promise<Critic> {
  const { critic, weightDecay, maxGradNorm, microBatch } = algorithm;
  if (critic.method === 'ridge') return new RidgeCritic(model, critic);
  const options = { learningRate: critic.learningRate, weightDecay, maxGradNorm };
  return new GradientCritic(await model.createValueFunction(critic.adapter, seed), critic, options, microBatch);
}

/** Linear in what the frozen base makes of the transcript. Before its first lesson it says 0 everywhere. */
class RidgeCritic implements Critic {
  #features: CriticFeatures | null = null;
  #regression: RidgeRegression | null = null;
  /** Returns seen so far lie between these; predictions are kept there. */
  #range: [low: number, high: number] = [0, 0];
  /** The rows of the batch that was valued last, since the same batch is learnt from next. */
  #latest: { sequences: readonly ValuedSequence[]; rows: Float64Array } | null = null;

  constructor(
    private readonly model: Pick<LanguageModel, 'read'>,
    private readonly settings: AlgorithmSettings['critic'],
  ) {}

  async values(sequences: readonly ValuedSequence[]): Promise<Float32Array[]> {
    const rows = await this.#rows(sequences);
    const [low, high] = this.#range;
    const flat = this.#regression?.predict(rows) ?? new Float32Array(0);
    const bounded = flat.map((value) => Math.min(high, Math.max(low, value)));
    return splitLike(bounded, sequences.map(({ positions }) => positions));
  }

  async learn({ sequences, returns }: CriticLesson): Promise<CriticUpdate> {
    const rows = await this.#rows(sequences);
    const targets = concat(returns);
    const values = concat(await this.values(sequences));
    const loss = mean(targets.map((target, k) => errorLoss(at(values, k) - target, 'mse')));
    // Nothing that is not a number may enter the normal equations: they are never rebuilt.
    if (!Number.isFinite(loss) || !rows.every(Number.isFinite)) return { losses: [], gradNorms: [], dropped: 1 };
    this.#regression?.observe(rows, targets);
    this.#range = [Math.min(this.#range[0], ...targets), Math.max(this.#range[1], ...targets)];
    this.#latest = null;
    return { losses: [{ loss, clipfrac: 0, dValues: new Float32Array(0) }], gradNorms: [], dropped: 0 };
  }

  dispose(): void {
    this.#latest = null;
  }

  async #rows(sequences: readonly ValuedSequence[]): Promise<Float64Array> {
    if (this.#latest?.sequences === sequences) return this.#latest.rows;
    const readings = await this.model.read(sequences);
    this.#features ??= new CriticFeatures(sequences, readings);
    this.#regression ??= new RidgeRegression(this.#features.width, this.settings);
    const rows = this.#features.rows(sequences, readings);
    this.#latest = { sequences, rows };
    return rows;
  }
}

/** A value head under AdamW, with an adapter of its own where asked for, fitted on a window of iterations. */
class GradientCritic implements Critic {
  readonly #lessons: CriticLesson[] = [];

  constructor(
    private readonly valueFunction: ValueFunction,
    private readonly settings: AlgorithmSettings['critic'],
    private readonly options: StepOptions,
    private readonly microBatch: number,
  ) {}

  values(sequences: readonly ValuedSequence[]): Promise<Float32Array[]> {
    return this.valueFunction.values(sequences);
  }

  learn(lesson: CriticLesson, random: Random): Promise<CriticUpdate> {
    this.#lessons.push(lesson);
    this.#lessons.splice(0, this.#lessons.length - this.settings.window);
    return updateCritic(this.valueFunction, this.#lessons, this.settings, this.options, random, this.microBatch);
  }

  dispose(): void {
    this.valueFunction.dispose();
  }
}
