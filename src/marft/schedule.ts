/** What changes from iteration to iteration by plan: who is updated when, and the learning rate. Iterations count from 1. */
import type { Game } from './game.ts';
import { Random } from '../random/random.ts';
import type { AlgorithmSettings } from './settings.ts';
import { STREAM } from './streams.ts';

/** The trainable agents in the order of their updates: generation order, or a permutation keyed by seed and iteration. */
export function updateOrder(game: Game, order: AlgorithmSettings['order'], seed: number, iteration: number): number[] {
  const trainable = game.order.filter((agent) => game.agents[agent]?.trainable === true);
  return order === 'fixed' ? trainable : new Random(seed, STREAM.order, iteration).shuffled(trainable);
}

/**
 * The groups of agents that an iteration updates, one group after the other: each agent alone, all together, or one agent only, the next
 * one after `blockIterations` (in an order that, when random, is drawn anew each time round).
 */
export function updateGroups(
  game: Game,
  { order, updateSchedule, blockIterations }: Pick<AlgorithmSettings, 'order' | 'updateSchedule' | 'blockIterations'>,
  seed: number,
  iteration: number,
): number[][] {
  if (updateSchedule === 'blocks') {
    const block = Math.floor((iteration - 1) / blockIterations);
    const count = updateOrder(game, 'fixed', seed, iteration).length;
    const round = Math.floor(block / Math.max(1, count));
    const agents = updateOrder(game, order, seed, round + 1);
    return agents.slice(block % Math.max(1, count)).slice(0, 1).map((agent) => [agent]);
  }
  const agents = updateOrder(game, order, seed, iteration);
  if (updateSchedule === 'joint') return agents.length > 0 ? [agents] : [];
  return agents.map((agent) => [agent]);
}

/**
 * The learning rate of an iteration: it rises in a line over the warm-up, then stays, or falls in a line or along half a cosine to
 * `lrFinalFraction` of itself in the last iteration.
 */
export function learningRateAt(
  iteration: number,
  iterations: number,
  settings: Pick<AlgorithmSettings, 'learningRate' | 'lrSchedule' | 'lrFinalFraction'> & Partial<Pick<AlgorithmSettings, 'warmupIterations'>>,
): number {
  const { learningRate, lrSchedule, lrFinalFraction, warmupIterations = 0 } = settings;
  if (iteration <= warmupIterations) return (learningRate * iteration) / warmupIterations;
  const falling = iterations - 1 - warmupIterations;
  if (lrSchedule === 'constant' || falling <= 0) return learningRate;
  const line = Math.min(1, (iteration - 1 - warmupIterations) / falling);
  const progress = lrSchedule === 'linear' ? line : (1 - Math.cos(Math.PI * line)) / 2;
  return learningRate * (1 - (1 - lrFinalFraction) * progress);
}
