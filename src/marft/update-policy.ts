/**
 * The policies' epochs over an iteration's tokens, each policy on its own adapter and AdamW: one agent at a time, or several in step
 * with each other.
 */
import type { OpenPass, Policy, StepOptions, TokenScores, TokenSequence } from '../engine/types.ts';
import { at, concat, mean, splitLike } from './arrays.ts';
import type { LossShape } from './loss-shape.ts';
import { objective, type Objective, type ObjectiveSettings } from './objective.ts';
import type { AlgorithmSettings } from './settings.ts';

type LearningPolicy = Pick<Policy, 'score' | 'open' | 'backward' | 'step' | 'zeroGrad'>;

/** One agent's tokens and what is known of them, `[utterances][tokens]`. */
export interface PolicyBatch {
  utterances: readonly TokenSequence[];
  temperature: number;
  old: TokenScores;
  ref: readonly Float32Array[];
  /** Normalised, `[utterances][decisions]`. */
  advantages: readonly Float32Array[];
  /** Absent: tokens decide, and each counts the same. */
  shape?: LossShape;
}

export interface PolicyUpdate {
  /** One per step that was applied. */
  objectives: Objective[];
  /** Norms before clipping, one per step that was applied. */
  gradNorms: number[];
  /** Epochs that were not taken because the policy had moved far enough or had nothing to learn from. */
  skipped: number;
  /** Steps that were not finite and therefore dropped. */
  dropped: number;
  /** The tokens' log-probs after the last step; null when no step was applied. */
  newLogprobs: Float32Array[] | null;
}

export type UpdateSettings = ObjectiveSettings &
  Pick<AlgorithmSettings, 'epochs' | 'targetKl'> &
  Partial<Pick<AlgorithmSettings, 'microBatch'>>;

/** What an update that never starts reports. */
export function skippedUpdate(epochs: number): PolicyUpdate {
  return { objectives: [], gradNorms: [], skipped: epochs, dropped: 0, newLogprobs: null };
}

/** One agent's update; see `updateTogether`. */
export async function updatePolicy(
  policy: LearningPolicy,
  batch: PolicyBatch,
  settings: UpdateSettings,
  stepOptions: StepOptions,
): Promise<PolicyUpdate> {
  const learner = new Learner(policy, batch, settings);
  await updateTogether([learner], settings, stepOptions);
  return learner.update;
}

/**
 * Takes up to `epochs` steps of every learner, none before all have their gradients. A step whose loss or gradient is not finite never
 * reaches the weights and ends the update for all: the same tokens would give the same again. So does a mean KL beyond the target.
 */
export async function updateTogether(
  learners: readonly Learner[],
  { epochs, targetKl }: UpdateSettings,
  stepOptions: StepOptions,
): Promise<void> {
  for (let epoch = 0; epoch < epochs; epoch++) {
    const now: Objective[] = [];
    // Of several learners each goes forward again on its way back: kept, their hidden states would all be there at once.
    for (const learner of learners) now.push(await learner.evaluate(learners.length === 1));
    if (targetKl !== null && mean(now.map(({ shift }) => shift.approxKl)) > targetKl) {
      for (const { update } of learners) update.skipped = epochs - epoch;
      break;
    }
    if (!now.every(({ loss }) => Number.isFinite(loss))) {
      for (const { update } of learners) update.dropped++;
      break;
    }
    for (const [k, learner] of learners.entries()) await learner.accumulate(at(now, k));
    let finite = true;
    for (const [k, learner] of learners.entries()) finite = (await learner.step(at(now, k), stepOptions)) && finite;
    if (!finite) break;
  }
  for (const learner of learners) await learner.finish();
}

/** One policy in an update. */
export class Learner {
  readonly update: PolicyUpdate = { objectives: [], gradNorms: [], skipped: 0, dropped: 0, newLogprobs: null };
  readonly #fixed: { oldLogprobs: Float32Array; refLogprobs: Float32Array; advantages: Float32Array };
  /** Of the weights as they are; the first epoch needs no forward pass, since they are the old ones. */
  #scores: TokenScores | null;
  #pass: OpenPass | null = null;

  constructor(
    private readonly policy: LearningPolicy,
    private readonly batch: PolicyBatch,
    private readonly settings: UpdateSettings,
  ) {
    this.#scores = batch.old;
    this.#fixed = {
      oldLogprobs: concat(batch.old.logprobs),
      refLogprobs: concat(batch.ref),
      advantages: concat(batch.advantages),
    };
  }

  /** The objective at the weights as they are. `keepOpen`: what going back needs may be held until `accumulate` or `finish`. */
  async evaluate(keepOpen: boolean): Promise<Objective> {
    const { shape } = this.batch;
    this.#scores ??= await this.#score(keepOpen && !this.settings.microBatch);
    const { logprobs, entropies } = this.#scores;
    return objective({ ...this.#fixed, newLogprobs: concat(logprobs), entropies: concat(entropies) }, this.settings, shape);
  }

  /** Adds the objective's gradient, `microBatch` utterances at a time: the loss's weights are those of the whole batch. */
  async accumulate(now: Objective): Promise<void> {
    const { utterances, temperature } = this.batch;
    const logprobs = splitLike(now.dLogprobs, utterances.map(({ tokens }) => tokens));
    const entropies = splitLike(now.dEntropies, utterances.map(({ tokens }) => tokens));
    if (this.#pass) {
      await this.#pass.backward({ logprobs, entropies });
      this.#pass = null;
      return;
    }
    const size = (this.settings.microBatch ?? 0) || utterances.length;
    for (let start = 0; start < utterances.length; start += size) {
      const part = <T>(list: readonly T[]): T[] => list.slice(start, start + size);
      await this.policy.backward(part(utterances), temperature, { logprobs: part(logprobs), entropies: part(entropies) });
    }
  }

  /** Applies what was accumulated; false when it was not finite and has been dropped. */
  async step(now: Objective, stepOptions: StepOptions): Promise<boolean> {
    const { applied, gradNorm } = await this.policy.step(stepOptions);
    if (!applied) {
      await this.policy.zeroGrad();
      this.update.dropped++;
      return false;
    }
    this.update.objectives.push(now);
    this.update.gradNorms.push(gradNorm);
    this.#scores = null;
    return true;
  }

  async #score(keepOpen: boolean): Promise<TokenScores> {
    const { utterances, temperature } = this.batch;
    if (!keepOpen) return this.policy.score(utterances, temperature);
    this.#pass = await this.policy.open(utterances, temperature);
    return this.#pass.scores;
  }

  /** Scores the tokens once more if the weights have moved. */
  async finish(): Promise<void> {
    this.#pass?.close();
    if (this.update.objectives.length === 0) return;
    const { utterances, temperature } = this.batch;
    this.update.newLogprobs = (this.#scores ?? (await this.policy.score(utterances, temperature))).logprobs;
  }
}
