/** Order of and words about an iteration's episodes. */
import type { EpisodeRecord } from '../../marft/records.ts';

export const EPISODE_ORDERS = { played: 'as played', best: 'highest reward', worst: 'lowest reward' } as const;
export type EpisodeOrder = keyof typeof EPISODE_ORDERS;

export function sortEpisodes(episodes: readonly EpisodeRecord[], order: EpisodeOrder): EpisodeRecord[] {
  if (order === 'played') return [...episodes];
  const sign = order === 'best' ? -1 : 1;
  return episodes.toSorted((a, b) => sign * (a.reward - b.reward) || a.episode - b.episode);
}

/** What the team answered: the last utterance. */
export function answerOf(episode: EpisodeRecord): string {
  return episode.utterances.at(-1)?.text.trim() ?? '';
}

export type Verdict = 'right' | 'wrong' | 'partly right';

export function verdictOf(episode: EpisodeRecord): Verdict {
  if (episode.reward >= 1) return 'right';
  return episode.reward <= 0 ? 'wrong' : 'partly right';
}
