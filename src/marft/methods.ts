/** What sets the methods apart that an experiment can compare on the same team, task and seed (marft.md, section 6). */
import { creditAlong, ownChains, teamChain, type BatchCredit, type Play } from './assign-credit.ts';
import type { Game } from './game.ts';
import type { AlgorithmSettings } from './settings.ts';

export interface Method {
  /** One for the whole team, or one per agent with that agent's view. */
  critics: 'team' | 'per-agent';
  credit(game: Game, play: Play, algorithm: AlgorithmSettings): BatchCredit;
}

const METHODS: Record<AlgorithmSettings['method'], Method> = {
  marft: { critics: 'team', credit: (game, play, algorithm) => creditAlong(teamChain, game, play, algorithm) },
  ippo: { critics: 'per-agent', credit: (game, play, algorithm) => creditAlong(ownChains, game, play, algorithm) },
};

export function methodOf({ method }: Pick<AlgorithmSettings, 'method'>): Method {
  return METHODS[method];
}
