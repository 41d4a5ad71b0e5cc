/** The two critics that an experiment can choose, behind one interface. */
import type { LanguageModel, ValuedSequence } from '../engine/types.ts';
import type { Random } from '../random/random.ts';
import { GradientCritic } from './gradient-critic.ts';
import { RidgeCritic } from './ridge-critic.ts';
import type { AlgorithmSettings } from './settings.ts';
import type { StateTensors } from './state-tensors.ts';
import type { CriticLesson, CriticUpdate } from './update-critic.ts';

export interface Critic {
  /** Values per sequence, per position, in units of reward. */
  values(sequences: readonly ValuedSequence[]): Promise<Float32Array[]>;
  /** Learns what the values should have been. `random` orders whatever has an order. */
  learn(lesson: CriticLesson, random: Random): Promise<CriticUpdate>;
  /** All that it has learnt and still needs of earlier lessons. */
  state(): Promise<StateTensors>;
  /** Puts back what `state` returned. Throws a PlaygroundError (`state-mismatch`) for another critic's. */
  restore(state: StateTensors): Promise<void>;
  dispose(): void;
}

export async function createCritic(model: LanguageModel, algorithm: AlgorithmSettings, seed: number): Promise<Critic> {
  const { critic, weightDecay, maxGradNorm, microBatch } = algorithm;
  if (critic.method === 'ridge') return new RidgeCritic(model, critic);
  const options = { learningRate: critic.learningRate, weightDecay, maxGradNorm };
  return new GradientCritic(await model.createValueFunction(critic.adapter, seed), critic, options, microBatch);
}
