/** The critic under AdamW: a value head, with an adapter of its own where asked for, fitted on a window of iterations. */
import type { StepOptions, ValueFunction, ValuedSequence } from '../engine/types.ts';
import type { Random } from '../random/random.ts';
import type { Critic } from './critics.ts';
import { lessonsFrom, lessonTensors } from './lesson-tensors.ts';
import type { AlgorithmSettings } from './settings.ts';
import { prefixed, singles, under, type StateTensors } from './state-tensors.ts';
import { updateCritic, type CriticLesson, type CriticUpdate } from './update-critic.ts';

export class GradientCritic implements Critic {
  #lessons: CriticLesson[] = [];

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

  async state(): Promise<StateTensors> {
    const network = prefixed('network.', await this.valueFunction.state());
    return new Map([...network, ...prefixed('window.', lessonTensors(this.#lessons))]);
  }

  async restore(state: StateTensors): Promise<void> {
    const lessons = lessonsFrom(under('window.', state));
    await this.valueFunction.restore(singles(under('network.', state)));
    this.#lessons = lessons;
  }

  dispose(): void {
    this.valueFunction.dispose();
  }
}
