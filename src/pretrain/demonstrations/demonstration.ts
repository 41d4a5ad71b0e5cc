/** What demonstrators of a game say: a file a game. A new game is one more file and a line in `corpora/games.ts`. */
import type { Random } from '../../random/random.ts';
import type { SuggestedTeam } from '../../tasks/teams.ts';
import type { Problem, Task } from '../../tasks/types.ts';
import type { Phase } from '../behaviour.ts';

/** What a demonstrator knows when its turn comes. */
export interface Scene {
  problem: Problem;
  /** The speaking agent's name, also where the team is anonymous. */
  name: string;
  /** What those said whom it hears in this turn, by name, in generation order. */
  heard: ReadonlyMap<string, string>;
  /** What the answering agent has said in earlier turns. */
  answers: readonly string[];
}

export interface Demonstration {
  name: string;
  /** A task of some difficulty. */
  task(random: Random): Task;
  /** A team that plays it. */
  team(random: Random): SuggestedTeam;
  /** What the agent says: mostly right in the first phase, with bad habits on top in the second. */
  say(scene: Scene, phase: Phase, random: Random): string;
}

/** One of several things to say, by weight; the weights sum to 1 at most, and what is left falls to the last. */
export function choose<T>(random: Random, options: readonly (readonly [weight: number, option: T])[]): T {
  let draw = random.next();
  for (const [weight, option] of options) {
    draw -= weight;
    if (draw < 0) return option;
  }
  const last = options.at(-1);
  if (!last) throw new RangeError('choose: there are no options');
  return last[1];
}
