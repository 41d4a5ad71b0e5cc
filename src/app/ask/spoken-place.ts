/** Which token of which answer is looked at. */
import type { TokenPlace } from '../state/reading.svelte.ts';
import type { Asked, Side } from './protocol.ts';

export interface SpokenPlace {
  /** The question to whose answers it belongs. */
  exchange: Asked;
  side: Side;
  at: TokenPlace;
}
