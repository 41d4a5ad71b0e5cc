/** No problem that a run is measured on is ever one that a run is trained on. */
import { describe, expect, it } from 'vitest';
import { PRESETS } from '../../../src/experiment/presets.ts';
import { Random } from '../../../src/random/random.ts';
import { taskByName } from '../../../src/tasks/registry.ts';

/** Tables are split where they are read; see the data set's own test. */
const BUILT_IN = PRESETS.filter(({ experiment: { task } }) => !taskByName(task.name, task.options).prepare);

describe('the held-out problems', () => {
  it.each(BUILT_IN.map(({ name, experiment: { task } }) => ({ name, task })))('of $name do not occur in training, whatever the seeds', ({ task: { name, options } }) => {
    const task = taskByName(name, options);
    const heldOut = new Set([1, 2, 3].flatMap((seed) => task.heldOut(256, seed).map(({ id }) => id)));
    const random = new Random(77);
    const trained = Array.from({ length: 3000 }, () => task.train(random).id);
    expect(trained.filter((id) => heldOut.has(id))).toEqual([]);
  });
});
