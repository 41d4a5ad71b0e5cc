/** Which iterations' transcripts stay in memory. */
import type { EpisodeRecord } from '../../marft/records.ts';

export interface KeptIteration {
  iteration: number;
  episodes: readonly EpisodeRecord[];
}

/** About 10 MB of records at 32 episodes of two short utterances; a reader scrubs through a few dozen at most. */
export const MAX_KEPT = 60;

/** Episodes by their iteration, in ascending order. */
export function groupByIteration(episodes: readonly EpisodeRecord[]): KeptIteration[] {
  const numbers = [...new Set(episodes.map(({ iteration }) => iteration))].toSorted((a, b) => a - b);
  return numbers.map((iteration) => ({
    iteration,
    episodes: episodes.filter((episode) => episode.iteration === iteration),
  }));
}

/**
 * `kept` with one more iteration at its end. When there are more than `limit`, the one whose neighbours lie closest
 * together goes, never the first nor the newest: what remains is spread evenly over the run.
 */
export function keepIteration(
  kept: readonly KeptIteration[],
  added: KeptIteration,
  limit: number = MAX_KEPT,
): KeptIteration[] {
  const all = [...kept, added];
  if (all.length <= Math.max(2, limit)) return all;
  const numbers = all.map(({ iteration }) => iteration);
  let victim = 1;
  let narrowest = Infinity;
  for (let k = 1; k < all.length - 1; k++) {
    const gap = (numbers[k + 1] ?? 0) - (numbers[k - 1] ?? 0);
    if (gap < narrowest) {
      narrowest = gap;
      victim = k;
    }
  }
  return all.filter((_, k) => k !== victim);
}
