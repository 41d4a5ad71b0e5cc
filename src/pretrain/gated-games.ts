/** What each embedded model is measured at. */
import { TEAM_TEMPLATES } from '../marft/templates.ts';
import { ADDITION_TEAMS } from '../tasks/addition-teams.ts';
import { duoAddition } from '../tasks/addition.ts';
import { comparison, COMPARISON } from '../tasks/comparison.ts';
import { countdown, COUNTDOWN } from '../tasks/countdown.ts';
import { relay, RELAY } from '../tasks/relay.ts';
import { reversing, REVERSING } from '../tasks/reversing.ts';
import { SECRET, secretDigit } from '../tasks/secret.ts';
import { suggestedTeam } from '../tasks/teams.ts';
import { walk, WALK } from '../tasks/walk.ts';
import { scratchWork, SKIPPED_ADDITION } from './behaviour.ts';
import { bothSums } from './demonstrations/comparison.ts';
import { search } from './demonstrations/countdown.ts';
import type { GatedGame } from './gate.ts';

const ADDITION: GatedGame = {
  label: 'duo addition, two digits',
  task: duoAddition(2),
  team: ADDITION_TEAMS.duo,
  sampled: [0.2, 0.45],
  greedy: 0.6,
  work: { of: ({ question }) => scratchWork(question), skipped: SKIPPED_ADDITION, right: 0.95 },
};

const SECRETS: GatedGame = {
  label: 'secret (chance: 10 %)',
  task: secretDigit(),
  team: suggestedTeam(SECRET),
  sampled: [0.2, 0.5],
  greedy: 0.6,
};

/** Those of `marft-tiny`. */
export const DUO_GAMES: readonly GatedGame[] = [ADDITION, SECRETS];

/** Those of `marft-games`: all. */
export const ALL_GAMES: readonly GatedGame[] = [
  ADDITION,
  ...TEAM_TEMPLATES.filter((template) => template !== 'duo').map(
    (template): GatedGame => ({ ...ADDITION, label: `the same, ${template}`, team: ADDITION_TEAMS[template], sampled: [0.12, 0.55] }),
  ),
  SECRETS,
  { label: 'reversing, four digits', task: reversing(4, 'reverse'), team: suggestedTeam(REVERSING), sampled: [0.2, 0.6], greedy: 0.95 },
  {
    label: 'comparison (chance: 33 %)',
    task: comparison(2),
    team: suggestedTeam(COMPARISON),
    sampled: [0.35, 0.65],
    greedy: 0.7,
    work: { of: ({ question }) => bothSums(question), skipped: SKIPPED_ADDITION, right: 0.9 },
  },
  {
    label: 'countdown, three numbers',
    task: countdown(3, false),
    team: suggestedTeam(COUNTDOWN),
    sampled: [0.25, 0.6],
    greedy: 0.7,
    work: { of: ({ question }) => search(question), skipped: SKIPPED_ADDITION, right: 0.8 },
  },
  { label: 'walk, 3 × 3 cells', task: walk(3, 1), team: suggestedTeam(WALK), sampled: [0.15, 0.6], greedy: 0.8 },
  { label: 'relay, an exact grader (chance: 10 %)', task: relay(12, 0), team: suggestedTeam(RELAY), sampled: [0.15, 0.5], greedy: 0.98 },
];
