/** The results of a run, small enough for a link. */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { MetricRow } from '../../marft/records.ts';
import type { BackendKind } from '../../runtime/backend.ts';
import { canonicalJson } from '../canonical.ts';
import { MAX_POINTS, type SharedResults } from './parts.ts';

/** What depends on the machine's speed and not on the run. */
const OF_THE_MACHINE = /^time\/|tok_per_s$|^mem\//;

/** Null where no iteration has been completed. */
export function shareResults(rows: readonly MetricRow[], backend: BackendKind): SharedResults | null {
  const trained = rows.filter((row) => row.iteration > 0 && row['reward/mean'] !== undefined);
  const last = trained.at(-1);
  if (last === undefined) return null;
  const points = thin(trained);
  return {
    b: backend,
    n: last.iteration,
    x: points.map(({ iteration }) => iteration),
    y: points.map((row) => row['reward/mean'] ?? 0),
    h: thin(rows.filter((row) => row['eval/reward'] !== undefined)).map((row) => [row.iteration, row['eval/reward'] ?? 0, row['eval/reward_greedy'] ?? 0]),
    f: fingerprint(rows, last.iteration),
  };
}

/** A digest of every figure up to an iteration, but for those that are the machine's. */
export function fingerprint(rows: readonly MetricRow[], until: number): string {
  const figures = rows
    .filter(({ iteration }) => iteration <= until)
    .map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !OF_THE_MACHINE.test(name))));
  return bytesToHex(sha256(utf8ToBytes(canonicalJson(figures)))).slice(0, 16);
}

/** At most so many of them, evenly, the first and the last among them. */
function thin<T>(all: readonly T[]): T[] {
  if (all.length <= MAX_POINTS) return [...all];
  return Array.from({ length: MAX_POINTS }, (_, k) => all[Math.round((k * (all.length - 1)) / (MAX_POINTS - 1))]).filter((one) => one !== undefined);
}
