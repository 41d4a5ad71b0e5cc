/** From what is stored, recorded or loaded to runs that can be compared. */
import type { ComparedRun, Evaluated, Group } from '../../experiment/compare-runs.ts';
import type { SweepResults } from '../../experiment/sweep-results.ts';
import { armsOf, experimentOf } from '../../experiment/sweep.ts';
import type { WholeRun } from '../../run-store/run-library.ts';
import { rewardsOf } from '../../run-store/run-record.ts';

export function comparedRun({ record, name, rows }: Pick<WholeRun, 'record' | 'name' | 'rows'>): ComparedRun {
  return { id: record.id, name, experiment: record.experiment, rewards: rewardsOf(rows), evaluated: evaluatedOf(record), failure: null };
}

/** A group an arm, also of arms that differ in nothing else than their names; failed runs are among them. */
export function groupsOfSweep({ sweep, runs }: SweepResults): Group[] {
  return armsOf(sweep).map((arm) => ({
    label: arm.name,
    runs: runs.filter((run) => run.arm === arm.name).map((run): ComparedRun => ({
      id: `${sweep.name} ${arm.name} ${run.seed} ${run.learningRate}`,
      name: `${arm.name}, seed ${run.seed}`,
      experiment: experimentOf(arm, run.seed, run.learningRate),
      rewards: run.status === 'done' ? run.rewards : [],
      evaluated: run.status === 'done' ? pick(run.summary) : null,
      failure: run.status === 'done' ? null : run.reason,
    })),
  }));
}

/** What was measured on held-out problems at a run's end; not of a run that has not come to it. */
function evaluatedOf({ base, final, iteration, experiment }: WholeRun['record']): Evaluated | null {
  if (base === null || final === null || iteration < experiment.schedule.iterations) return null;
  return { sampled: final.sampled, greedy: final.greedy, baseSampled: base.sampled, baseGreedy: base.greedy };
}

function pick({ sampled, greedy, baseSampled, baseGreedy }: Evaluated): Evaluated {
  return { sampled, greedy, baseSampled, baseGreedy };
}
