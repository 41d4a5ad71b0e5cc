/** What a transcript's tokens can be coloured by, and how a number becomes a colour. */
import type { EpisodeRecord, TokenRecord } from '../../marft/records.ts';
import type { TermName } from '../ui/terms.ts';

export const CHANNEL_NAMES = ['advantage', 'value', 'logprob', 'entropy', 'refKl'] as const;
export type ChannelName = (typeof CHANNEL_NAMES)[number];

export interface Channel {
  label: string;
  unit: 'reward' | 'nats';
  term: TermName;
  /** Diverging: purple below zero, teal above. Amount: blue with the distance from zero. */
  scale: 'diverging' | 'amount';
}

export const CHANNELS: Record<ChannelName, Channel> = {
  advantage: { label: 'Advantage', unit: 'reward', term: 'advantage', scale: 'diverging' },
  value: { label: 'Value', unit: 'reward', term: 'value', scale: 'diverging' },
  logprob: { label: 'Log-prob', unit: 'nats', term: 'logprob', scale: 'amount' },
  entropy: { label: 'Entropy', unit: 'nats', term: 'entropy', scale: 'amount' },
  refKl: { label: 'KL to base', unit: 'nats', term: 'refKl', scale: 'amount' },
};

/** The largest distance from zero that any token of the episodes has in this channel; the end of the colour scale. */
export function channelExtent(episodes: readonly EpisodeRecord[], channel: ChannelName): number {
  let extent = 0;
  for (const { utterances } of episodes) {
    for (const { tokens } of utterances) {
      for (const token of tokens) extent = Math.max(extent, Math.abs(token[channel]));
    }
  }
  return extent;
}

/** A CSS colour for a token; `extent` gets the full colour, zero the surface's own. */
export function tokenColour<C extends ChannelName>(token: Pick<TokenRecord, C>, channel: C, extent: number): string {
  const value = token[channel];
  const share = extent > 0 ? Math.min(1, Math.abs(value) / extent) : 0;
  const end = CHANNELS[channel].scale === 'amount' ? 'amount' : value < 0 ? 'negative' : 'positive';
  return `color-mix(in oklab, var(--scale-${end}) ${(share * 100).toFixed(1)}%, var(--surface))`;
}

/** A token as it can be shown in a line: spaces and line breaks visible. */
export function visibleText(text: string): string {
  return text.replaceAll(' ', '␣').replaceAll('\n', '⏎').replaceAll('\t', '⇥') || '∅';
}
