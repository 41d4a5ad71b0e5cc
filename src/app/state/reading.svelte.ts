/** What the reader looks at in the transcripts: which iteration, episode, channel and token. */
import type { EpisodeRecord, TokenRecord } from '../../marft/records.ts';
import type { ChannelName } from '../logic/channels.ts';
import { sortEpisodes, type EpisodeOrder } from '../logic/episodes.ts';
import type { RunStore } from './run.svelte.ts';

/** A token of the open episode. */
export interface TokenPlace {
  utterance: number;
  token: number;
}

export class ReadingStore {
  readonly #run: RunStore;
  /** The iteration that is held on to; null: always the newest. */
  pinned = $state<number | null>(null);
  /** Number of the open episode within its iteration. */
  episodeNumber = $state(0);
  order = $state<EpisodeOrder>('played');
  channel = $state<ChannelName>('advantage');
  place = $state.raw<TokenPlace | null>(null);

  constructor(run: RunStore) {
    this.#run = run;
  }

  /** The kept iteration on show: the pinned one, or the newest. */
  readonly shown = $derived.by(() => {
    const { held } = this.#run;
    // In slow motion the iteration in progress comes last, as far as it has come.
    const kept = held === null ? this.#run.kept : [...this.#run.kept, held];
    return kept.find(({ iteration }) => iteration === this.pinned) ?? kept.at(-1);
  });
  readonly episodes = $derived(sortEpisodes(this.shown?.episodes ?? [], this.order));
  readonly episode: EpisodeRecord | undefined = $derived(
    this.shown?.episodes.find(({ episode }) => episode === this.episodeNumber) ?? this.shown?.episodes[0],
  );
  /** The token whose numbers are shown; the episode's last one until another is pointed at. */
  readonly token: { place: TokenPlace; record: TokenRecord } | undefined = $derived.by(() => {
    const place = this.place ?? lastToken(this.episode);
    const record = place && this.episode?.utterances[place.utterance]?.tokens[place.token];
    return place && record ? { place, record } : undefined;
  });

  /** Opens an episode and stays with its iteration, so that it is not replaced while it is read. */
  open(episode: number): void {
    this.pin();
    this.episodeNumber = episode;
    this.place = null;
  }

  /** Shows a token's numbers and stays with its iteration. */
  point(place: TokenPlace): void {
    this.pin();
    this.place = place;
  }

  /** Goes to the kept iteration at this index. */
  scrubTo(index: number): void {
    this.pinned = this.#run.kept[index]?.iteration ?? null;
    this.place = null;
  }

  followNewest(): void {
    this.pinned = null;
    this.place = null;
  }

  pin(): void {
    this.pinned ??= this.shown?.iteration ?? null;
  }

  /** For a new run. */
  clear(): void {
    this.followNewest();
    this.episodeNumber = 0;
  }
}

function lastToken(episode: EpisodeRecord | undefined): TokenPlace | null {
  if (!episode) return null;
  const utterance = episode.utterances.length - 1;
  const token = (episode.utterances[utterance]?.tokens.length ?? 0) - 1;
  return utterance >= 0 && token >= 0 ? { utterance, token } : null;
}
