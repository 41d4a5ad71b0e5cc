/** Whether a run that was done again came out as the one that was shared. */
import type { MetricRow } from '../../marft/records.ts';
import type { BackendKind } from '../../runtime/backend.ts';
import type { SharedResults } from './parts.ts';
import { fingerprint } from './shared-results.ts';

export interface Agreement {
  /** `running`: not yet as many iterations as were shared. */
  kind: 'running' | 'identical' | 'within-tolerance' | 'different-backend' | 'different';
  /** Points that both have. */
  compared: number;
  /** Between the two curves: the mean distance of their points and the largest. */
  mean: number;
  largest: number;
  /** The mean distance that chance alone would make between two such curves. */
  tolerance: number;
}

/** `episodes`: of each iteration. */
export function agreement(shared: SharedResults, rows: readonly MetricRow[], backend: BackendKind, episodes: number): Agreement {
  const own = new Map(rows.filter(({ iteration }) => iteration > 0).map((row) => [row.iteration, row['reward/mean']]));
  const distances = shared.x.flatMap((at, k) => {
    const [mine, theirs] = [own.get(at), shared.y[k]];
    return mine === undefined || theirs === undefined ? [] : [Math.abs(mine - theirs)];
  });
  const compared = distances.length;
  const mean = compared === 0 ? 0 : distances.reduce((sum, one) => sum + one, 0) / compared;
  const largest = distances.reduce((most, one) => Math.max(most, one), 0);
  // Two means of so many draws of 0 or 1 each, at their most uncertain, lie about this far apart.
  const tolerance = Math.sqrt(0.5 / episodes);
  return { kind: kindOf(), compared, mean, largest, tolerance };

  function kindOf(): Agreement['kind'] {
    if (!own.has(shared.n)) return 'running';
    if (shared.b !== backend) return 'different-backend';
    if (fingerprint(rows, shared.n) === shared.f) return 'identical';
    return mean <= tolerance ? 'within-tolerance' : 'different';
  }
}

/** The verdict as a sentence or two. */
export function agreementText(verdict: Agreement): string {
  const { kind, compared, mean, largest, tolerance } = verdict;
  const points = `${compared} shared ${compared === 1 ? 'point' : 'points'}`;
  const apart = `On the ${points} the curves lie ${mean.toFixed(3)} apart on average, ${largest.toFixed(3)} at most`;
  switch (kind) {
    case 'running':
      return 'The comparison is made once this run has as many iterations as the shared one.';
    case 'identical':
      return `Identical: all figures of all iterations are the same as in the shared run, to the last digit.`;
    case 'within-tolerance':
      return `Within tolerance: not every figure is the same. ${apart}, no more than chance makes (${tolerance.toFixed(3)}).`;
    case 'different-backend':
      return `Different backend: the shared run was computed in another way, so its tokens may differ. ${apart}, ${mean <= tolerance ? 'no more' : 'more'} than chance makes (${tolerance.toFixed(3)}).`;
    case 'different':
      return `Different: ${apart.charAt(0).toLowerCase()}${apart.slice(1)}, more than chance makes (${tolerance.toFixed(3)}). Another release or another browser may be why.`;
  }
}
