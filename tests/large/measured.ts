/** What the measured process reports to `main.ts`. */
import type { MemoryPlan } from '../../src/engine/planner.ts';
import type { MetricRow } from '../../src/marft/records.ts';

export interface Measured {
  plan: MemoryPlan;
  metrics: MetricRow;
  /** Tokens of every utterance. */
  lengths: number[];
  /** Until the first iteration began. */
  loadingSeconds: number;
  /** The most memory that was resident at any moment, in bytes. */
  peakBytes: number;
}

/** Resident bytes that the iteration may take. */
export const MEMORY_LIMIT = 8e9;
