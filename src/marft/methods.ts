/** What sets the methods apart that an experiment can compare on the same team, task and seed (marft.md, section 6). */
import { PlaygroundError } from '../runtime/errors.ts';
import { creditAlong, emptyCredit, ownChains, teamChain, type BatchCredit, type Play } from './assign-credit.ts';
import type { Game } from './game.ts';
import { groupCredit } from './group-credit.ts';
import type { AlgorithmSettings, TeamSettings } from './settings.ts';

export interface Method {
  /** One for the whole team, one per agent with that agent's view, or none. */
  critics: 'team' | 'per-agent' | 'none';
  /** Episodes in a row that play the same problem. */
  groupSize(algorithm: Pick<AlgorithmSettings, 'groupSize'>): number;
  /** Whose verdict counts: the team's for everyone, or half an agent's own and half the mean of all. */
  rewards: 'copied' | 'mixed';
  /** False: advantages are what they are, whatever the settings say. */
  normalizes: boolean;
  trains: boolean;
  /** The team that really plays. */
  team(team: TeamSettings): TeamSettings;
  credit(game: Game, play: Play, algorithm: AlgorithmSettings): BatchCredit;
}

const MARFT: Method = {
  critics: 'team',
  groupSize: () => 1,
  rewards: 'copied',
  normalizes: true,
  trains: true,
  team: (team) => team,
  credit: (game, play, algorithm) => creditAlong(teamChain, game, play, algorithm),
};

const IPPO: Method = { ...MARFT, critics: 'per-agent', credit: (game, play, algorithm) => creditAlong(ownChains, game, play, algorithm) };

const METHODS: Record<AlgorithmSettings['method'], Method> = {
  marft: MARFT,
  ippo: IPPO,
  maporl: { ...IPPO, rewards: 'mixed', team: alikeAndAlone },
  group: { ...MARFT, critics: 'none', groupSize: ({ groupSize }) => groupSize, normalizes: false, credit: groupCredit },
  none: { ...MARFT, critics: 'none', trains: false, credit: (_, { values }) => emptyCredit(values) },
};

export function methodOf({ method }: Pick<AlgorithmSettings, 'method'>): Method {
  return METHODS[method];
}

/** MAPoRL (arXiv 2502.18439) in miniature: everyone is told what the answering agent is told, and hears nobody. */
function alikeAndAlone(team: TeamSettings): TeamSettings {
  const answering = team.agents.find(({ role }) => role === 'answers');
  if (answering === undefined) return team;
  const { profile, instruction } = answering;
  return { ...team, dependency: 'none', agents: team.agents.map((agent) => ({ ...agent, profile, instruction })) };
}

/** Throws a PlaygroundError when an iteration's episodes do not fall into whole groups. */
export function refuseBrokenGroups(algorithm: Pick<AlgorithmSettings, 'method' | 'groupSize'>, episodes: number): void {
  const size = methodOf(algorithm).groupSize(algorithm);
  if (episodes % size === 0) return;
  throw new PlaygroundError(
    'algorithm-groups',
    `${episodes} episodes do not fall into groups of ${size}.`,
    'Make schedule.episodes a multiple of algorithm.groupSize.',
  );
}
