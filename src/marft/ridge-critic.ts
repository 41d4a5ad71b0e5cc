/** The linear critic: ridge regression on what the frozen base makes of the transcript. */
import type { LanguageModel, ValuedSequence } from '../engine/types.ts';
import { at, concat, mean, splitLike } from './arrays.ts';
import { CriticFeatures, measuredCount } from './critic-features.ts';
import { errorLoss } from './critic.ts';
import type { Critic } from './critics.ts';
import { RidgeRegression, triangleSize } from './ridge.ts';
import type { AlgorithmSettings } from './settings.ts';
import { refuseState, saved, vectors, type StateTensors } from './state-tensors.ts';
import type { CriticLesson, CriticUpdate } from './update-critic.ts';

/** What its first batch brings into being. */
interface Fit {
  features: CriticFeatures;
  regression: RidgeRegression;
}

/** Before its first lesson it says 0 everywhere. */
export class RidgeCritic implements Critic {
  #fit: Fit | null = null;
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
    const flat = this.#fit?.regression.predict(rows) ?? new Float32Array(0);
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
    this.#fit?.regression.observe(rows, targets);
    this.#range = [Math.min(this.#range[0], ...targets), Math.max(this.#range[1], ...targets)];
    this.#latest = null;
    return { losses: [{ loss, clipfrac: 0, dValues: new Float32Array(0) }], gradNorms: [], dropped: 0 };
  }

  /** Empty before its first batch. */
  state(): Promise<StateTensors> {
    if (this.#fit === null) return Promise.resolve(new Map());
    const { features, regression } = this.#fit;
    const { utterances, states, mean: average, scale } = features.layout;
    const { triangle, moment } = regression.equations();
    return Promise.resolve(
      vectors({
        'features.size': Int32Array.of(utterances, states),
        'features.mean': average.slice(),
        'features.scale': scale.slice(),
        'ridge.triangle': triangle,
        'ridge.moment': moment,
        'ridge.range': Float64Array.from(this.#range),
      }),
    );
  }

  restore(state: StateTensors): Promise<void> {
    this.#latest = null;
    if (state.size === 0) {
      this.#fit = null;
      this.#range = [0, 0];
      return Promise.resolve();
    }
    const [utterances = 0, states = 0] = saved(state, 'features.size', Int32Array, 2);
    if (utterances < 1 || states < 1) refuseState(`The saved critic reads ${states} numbers of ${utterances} utterances.`);
    const measured = measuredCount({ utterances, states });
    const mean = saved(state, 'features.mean', Float64Array, measured);
    const scale = saved(state, 'features.scale', Float64Array, measured);
    const features = new CriticFeatures({ utterances, states, mean, scale });
    const regression = new RidgeRegression(features.width, this.settings);
    regression.restore({
      triangle: saved(state, 'ridge.triangle', Float64Array, triangleSize(features.width)),
      moment: saved(state, 'ridge.moment', Float64Array, features.width),
    });
    const [low = 0, high = 0] = saved(state, 'ridge.range', Float64Array, 2);
    this.#fit = { features, regression };
    this.#range = [low, high];
    return Promise.resolve();
  }

  dispose(): void {
    this.#latest = null;
  }

  async #rows(sequences: readonly ValuedSequence[]): Promise<Float64Array> {
    if (this.#latest?.sequences === sequences) return this.#latest.rows;
    const readings = await this.model.read(sequences);
    if (this.#fit === null) {
      const features = CriticFeatures.of(sequences, readings);
      this.#fit = { features, regression: new RidgeRegression(features.width, this.settings) };
    }
    const rows = this.#fit.features.rows(sequences, readings);
    this.#latest = { sequences, rows };
    return rows;
  }
}
