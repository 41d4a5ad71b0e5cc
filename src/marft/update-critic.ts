/** The critic's epochs over the transcripts of the last several iterations. */
import type { StepOptions, ValuedSequence, ValueFunction } from '../engine/types.ts';
import { at, concat, splitLike } from './arrays.ts';
import { clippedValueLoss, type ValueLoss } from './critic.ts';
import type { Random } from '../random/random.ts';
import type { AlgorithmSettings } from './settings.ts';

/** One iteration's transcripts and what their values should have been, `[sequences][positions]`. */
export interface CriticLesson {
  sequences: ValuedSequence[];
  returns: Float32Array[];
}

export interface CriticUpdate {
  /** One per step that was applied. */
  losses: ValueLoss[];
  /** Norms before clipping, one per step that was applied. */
  gradNorms: number[];
  /** Steps that were not finite and therefore dropped. */
  dropped: number;
}

/**
 * Takes one step per iteration of the window and epoch, in random order. Values are clipped against those from before
 * this update, computed here for older transcripts too: their own time's values would hold the critic back. A step that
 * is not finite never reaches the weights and ends the update.
 */
export async function updateCritic(
  critic: Pick<ValueFunction, 'values' | 'backward' | 'step' | 'zeroGrad'>,
  window: readonly CriticLesson[],
  settings: Pick<AlgorithmSettings['critic'], 'epochs' | 'clip' | 'loss'>,
  stepOptions: StepOptions,
  random: Random,
  microBatch = 0,
): Promise<CriticUpdate> {
  const update: CriticUpdate = { losses: [], gradNorms: [], dropped: 0 };
  const oldValues: Float32Array[] = [];
  for (const { sequences } of window) oldValues.push(concat(await critic.values(sequences)));

  for (let epoch = 0; epoch < settings.epochs; epoch++) {
    for (const k of random.shuffled([...window.keys()])) {
      const { sequences, returns } = at(window, k);
      const values = update.losses.length === 0 ? at(oldValues, k) : concat(await critic.values(sequences));
      const loss = clippedValueLoss(values, at(oldValues, k), concat(returns), settings);
      if (!Number.isFinite(loss.loss)) return { ...update, dropped: 1 };
      const cotangents = splitLike(loss.dValues, returns);
      const size = microBatch || sequences.length;
      for (let start = 0; start < sequences.length; start += size) {
        await critic.backward(sequences.slice(start, start + size), cotangents.slice(start, start + size));
      }
      const { applied, gradNorm } = await critic.step(stepOptions);
      if (!applied) {
        await critic.zeroGrad();
        return { ...update, dropped: 1 };
      }
      update.losses.push(loss);
      update.gradNorms.push(gradNorm);
    }
  }
  return update;
}
