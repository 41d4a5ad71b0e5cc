/** In words, what has been changed in an experiment since a run with it began. */
import type { Experiment } from '../../experiment/schema.ts';

/** Names of the changed parts, in the order of the page; empty when nothing differs. */
export function changedParts(now: Experiment, then: Experiment): string[] {
  if (now.name !== then.name) return ['the preset'];
  const parts: string[] = [];
  if (now.model !== then.model) parts.push('the model');
  if (now.modelPrecision !== then.modelPrecision) parts.push('the precision');
  if (!same({ ...now.team, dependency: null }, { ...then.team, dependency: null })) parts.push('the team');
  if (!same(now.team.dependency, then.team.dependency)) parts.push('who hears whom (D)');
  if (now.seed !== then.seed) parts.push('the seed');
  if (!same(now.algorithm, then.algorithm)) parts.push('how it learns');
  if (!same(now.task.reward ?? null, then.task.reward ?? null)) parts.push('the reward');
  if (now.schedule.iterations !== then.schedule.iterations) parts.push('the number of iterations');
  if (!same({ ...now.schedule, iterations: 0 }, { ...then.schedule, iterations: 0 })) parts.push('the schedule');
  return parts;
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
