/** Runs that the reader has seen come to their end, in a few words and numbers. */
import type { Experiment } from '../../experiment/schema.ts';
import { dependencyMatrix } from '../../marft/game.ts';
import type { MetricRow } from '../../marft/records.ts';

/** Iterations at the end over which a run's reward is averaged. */
const LAST = 5;

export interface Note {
  preset: string;
  method: Experiment['algorithm']['method'];
  roles: Experiment['team']['roles'];
  /** Whether nobody hears anybody. */
  cut: boolean;
  learningRate: number;
  seed: number;
  iterations: number;
  /** Mean team reward of the last iterations, in [0, 1]. */
  reward: number;
}

/** Null where nothing was trained. */
export function noteOf(experiment: Experiment, rows: readonly MetricRow[]): Note | null {
  const reward = lastReward(rows, LAST);
  if (reward === null) return null;
  const { team, algorithm, seed, name } = experiment;
  return {
    preset: name,
    method: algorithm.method,
    roles: team.roles,
    cut: isCut(experiment),
    learningRate: algorithm.learningRate,
    seed,
    iterations: rows.at(-1)?.iteration ?? 0,
    reward,
  };
}

/** Whether D is zero everywhere. */
export function isCut({ team }: Experiment): boolean {
  return !dependencyMatrix(team.dependency, team.agents.length).some((row) => row.some(Boolean));
}

/** Mean team reward of the last `count` iterations; null before there are as many. */
export function lastReward(rows: readonly MetricRow[], count: number): number | null {
  const rewards = trainingRewards(rows).slice(-count);
  return rewards.length < count ? null : rewards.reduce((sum, one) => sum + one, 0) / count;
}

/** The highest mean of `count` iterations in a row; null before there are as many. */
export function bestReward(rows: readonly MetricRow[], count: number): number | null {
  const rewards = trainingRewards(rows);
  const windows = rewards.slice(count - 1).map((_, k) => rewards.slice(k, k + count).reduce((sum, one) => sum + one, 0) / count);
  return windows.length === 0 ? null : Math.max(...windows);
}

function trainingRewards(rows: readonly MetricRow[]): number[] {
  return rows.flatMap((row) => {
    const reward = row['reward/mean'];
    return reward === undefined ? [] : [reward];
  });
}
