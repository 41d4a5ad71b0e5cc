/**
 * The corpus of `marft-games`: every built-in game. An episode is played by demonstrators, and one utterance of it is learnt, or now and then the
 * whole transcript.
 */
import { createGame, parentsOf, type Game } from '../../marft/game.ts';
import { WORLD, type Reply, type Said } from '../../marft/prompt.ts';
import { teamSchema } from '../../marft/settings.ts';
import type { Random } from '../../random/random.ts';
import type { SuggestedTeam } from '../../tasks/teams.ts';
import type { Problem, Task } from '../../tasks/types.ts';
import type { ChatTokenizer } from '../../tokenizer/types.ts';
import type { Phase } from '../behaviour.ts';
import { addition } from '../demonstrations/addition.ts';
import { comparing } from '../demonstrations/comparison.ts';
import { reaching } from '../demonstrations/countdown.ts';
import { choose, type Demonstration, type Scene } from '../demonstrations/demonstration.ts';
import { relaying } from '../demonstrations/relay.ts';
import { reversal } from '../demonstrations/reversing.ts';
import { secret } from '../demonstrations/secret.ts';
import { walking } from '../demonstrations/walk.ts';
import { transcriptSequence, turnSequence, type TrainingSequence } from '../sequences.ts';

/** The games, as shares of the sequences: more where there is more to learn. */
export const GAMES: readonly (readonly [share: number, demonstration: Demonstration])[] = [
  [0.28, addition],
  [0.04, secret],
  [0.13, reversal],
  [0.12, comparing],
  [0.21, reaching],
  [0.13, walking],
  [0.09, relaying],
];

export const SHARES = {
  /** Teams without names, for runs with roles switched off. */
  anonymous: 0.08,
  /** Teams in which nobody hears anybody, so that a cut dependency is not new to them. */
  cut: 0.06,
  /** Whole transcripts as the critic reads them. */
  transcript: 0.12,
  /** Where one utterance is learnt: how often any other was said as in the first phase, and not as in the second. A team meets both while it learns. */
  goodContext: 0.5,
} as const;

/** An utterance, and all that led to it. */
interface Moment {
  agent: number;
  scene: Scene;
  said: Said<Int32Array>[];
  earlier: (Said<Int32Array> | Reply)[];
}

export function gamesSequence(tokenizer: ChatTokenizer, phase: Phase, random: Random): TrainingSequence {
  const demonstration = choose(random, GAMES);
  const task = demonstration.task(random);
  const problem = task.train(random);
  const game = gameOf(demonstration.team(random), random.next() < SHARES.anonymous, random.next() < SHARES.cut);
  const whole = random.next() < SHARES.transcript;
  const say = (scene: Scene): string => {
    const mode = whole ? phase : random.next() < SHARES.goodContext ? 'skill' : 'sloppy';
    return demonstration.say(scene, mode, random);
  };
  const { moments, spoken } = play(tokenizer, game, task, problem, say);
  if (whole) return transcriptSequence(tokenizer, game, problem, spoken);
  const { agent, scene, said, earlier } = random.pick(moments);
  return turnSequence(tokenizer, game, agent, problem, said, demonstration.say(scene, phase, random), earlier);
}

/** A whole episode, and every moment of it at which somebody spoke. */
function play(
  tokenizer: ChatTokenizer,
  game: Game,
  task: Task,
  problem: Problem,
  say: (scene: Scene) => string,
): { moments: Moment[]; spoken: (Said<Int32Array> | Reply)[] } {
  const moments: Moment[] = [];
  const answers: string[] = [];
  const spoken: (Said<Int32Array> | Reply)[] = [];
  for (let turn = 0; turn < game.horizon; turn++) {
    const earlier = [...spoken];
    const texts = new Map<number, string>();
    const said: Said<Int32Array>[] = [];
    for (const agent of game.order) {
      const heard = new Map(parentsOf(game, agent).map((parent) => [game.agents[parent]?.name ?? '', texts.get(parent) ?? '']));
      const scene: Scene = { problem, name: game.agents[agent]?.name ?? '', heard, answers: [...answers] };
      moments.push({ agent, scene, said: [...said], earlier });
      const text = say(scene);
      texts.set(agent, text);
      said.push({ agent, content: tokenizer.encode(text) });
    }
    spoken.push(...said);
    answers.push(texts.get(game.answerer) ?? '');
    if (task.isOver?.(problem, answers) === true) break;
    if (task.respond && turn < game.horizon - 1) spoken.push({ agent: WORLD, content: task.respond(problem, answers) });
  }
  return { moments, spoken };
}

const GAMES_BY_TEAM = new Map<string, Game>();

function gameOf(team: SuggestedTeam, anonymous: boolean, cut: boolean): Game {
  const settings = { ...team, roles: anonymous ? 'anonymous' : 'named', ...(cut ? { dependency: 'none' } : {}) };
  const key = JSON.stringify(settings);
  const game = GAMES_BY_TEAM.get(key) ?? createGame(teamSchema.parse(settings));
  GAMES_BY_TEAM.set(key, game);
  return game;
}
