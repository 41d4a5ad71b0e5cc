/** What changes from iteration to iteration by plan: who is updated when, and the learning rate. Iterations count from 1. */
import type { Game } from './game.ts';
import { Random } from './random.ts';
import type { AlgorithmSettings } from './settings.ts';
import { STREAM } from './streams.ts';

/** The trainable agents in the order of their updates: generation order, or a permutation keyed by seed and iteration. */
export function updateOrder(game: Game, order: AlgorithmSettings['order'], seed: number, iteration: number): number[] {
  const trainable = game.order.filter((agent) => game.agents[agent]?.trainable === true);
  return order === 'fixed' ? trainable : new Random(seed, STREAM.order, iteration).shuffled(trainable);
}

/** The learning rate of an iteration; a linear schedule ends at `lrFinalFraction` of it in the last one. */
export function learningRateAt(
  iteration: number,
  iterations: number,
  { learningRate, lrSchedule, lrFinalFraction }: Pick<AlgorithmSettings, 'learningRate' | 'lrSchedule' | 'lrFinalFraction'>,
): number {
  if (lrSchedule === 'constant' || iterations <= 1) return learningRate;
  const progress = Math.min(1, (iteration - 1) / (iterations - 1));
  return learningRate * (1 - (1 - lrFinalFraction) * progress);
}
