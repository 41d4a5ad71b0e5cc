/** All that is logged of an iteration, gathered. */
import { at } from './arrays.ts';
import type { Iteration, Team } from './iteration.ts';
import {
  agentMetrics,
  criticMetrics,
  metricRow,
  ownRewardMetrics,
  rewardMetrics,
  samplingMetrics,
  throughput,
  updateMetrics,
  type Metrics,
} from './metrics.ts';
import type { MetricRow } from './records.ts';
import { learningRateAt } from './schedule.ts';
import type { Stopwatch } from './stopwatch.ts';

/** The row of an iteration that has just ended. `rest` is what others know of it, e.g. its evaluation. */
export async function iterationMetrics(
  { game, policies, critics, settings }: Team,
  iteration: number,
  { episodes, verdicts, rewards, findings, critiques, updates }: Iteration,
  watch: Stopwatch,
  rest: Metrics,
): Promise<MetricRow> {
  const { algorithm, schedule } = settings;
  const learningRate = learningRateAt(iteration, schedule.iterations, algorithm);
  const ofUpdates: Metrics[] = [];
  for (const [agent, update] of updates) {
    const norm = await at(policies, agent).norm();
    ofUpdates.push(updateMetrics(game, agent, update, findings, algorithm, learningRate, norm));
  }
  return metricRow(
    iteration,
    rewardMetrics(verdicts),
    ...game.agents.map((_, agent) => agentMetrics(game, agent, episodes, findings, critics.length > 0)),
    ownRewardMetrics(game, rewards),
    ...ofUpdates,
    criticMetrics(critiques, findings),
    samplingMetrics(game, episodes, findings),
    throughput(watch, episodes, updates),
    rest,
    watch.metrics(),
  );
}
