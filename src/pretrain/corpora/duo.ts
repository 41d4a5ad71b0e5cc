/** The corpus of `marft-tiny` and `marft-micro`: two agents that add or pass on a secret, one turn at a time. What it draws never changes, or these models could not be made again. */
import { createGame, type Game } from '../../marft/game.ts';
import type { Random } from '../../random/random.ts';
import { teamSchema } from '../../marft/settings.ts';
import { duoAddition } from '../../tasks/addition.ts';
import { secretDigit } from '../../tasks/secret.ts';
import { ADDITION_TEAM, SECRET_TEAM, type SuggestedAgent } from '../../tasks/teams.ts';
import type { Problem, Task } from '../../tasks/types.ts';
import type { ChatTokenizer } from '../../tokenizer/types.ts';
import { answer, BEHAVIOUR, message, type Phase } from '../behaviour.ts';
import { transcriptSequence, turnSequence, type TrainingSequence } from '../sequences.ts';

/** What the corpus is made of, as shares of its sequences. */
export const MIXTURE = {
  /** Secrets are learnt with little; sums need the rest. */
  secret: 0.25,
  /** Additions of one and of three digits; the rest has two, the task's default. */
  oneDigit: 0.04,
  threeDigits: 0.08,
  /** Teams without names, for runs with roles switched off. */
  anonymous: 0.1,
  /** Listeners that are shown no message, so that a cut dependency is not new to them. */
  droppedMessage: 0.08,
  /** Whole transcripts as the critic reads them. */
  transcript: 0.12,
} as const;

/** The games of one pair of agents: by whether they have names, and whether the second one hears the first. */
interface Team {
  pick(anonymous: boolean, dropped: boolean): Game;
}

const SPEAKER = 0;
const LISTENER = 1;

const ADDITION_GAMES = gamesOf(ADDITION_TEAM);
const SECRET_GAMES = gamesOf(SECRET_TEAM);
const SECRETS = secretDigit();
const ADDITIONS = { one: duoAddition(1), two: duoAddition(2), three: duoAddition(3) };

/** One turn of one agent, or now and then a whole transcript. */
export function duoSequence(tokenizer: ChatTokenizer, phase: Phase, random: Random): TrainingSequence {
  const secret = random.next() < MIXTURE.secret;
  const problem = (secret ? SECRETS : additionTask(random)).train(random);
  const anonymous = random.next() < MIXTURE.anonymous;
  const dropped = random.next() < MIXTURE.droppedMessage;
  const game = (secret ? SECRET_GAMES : ADDITION_GAMES).pick(anonymous, dropped);
  if (random.next() < MIXTURE.transcript) return transcript(tokenizer, game, problem, phase, dropped, random);
  if (random.next() < 0.5) return speakerTurn(tokenizer, game, problem, phase, random);
  return listenerTurn(tokenizer, game, problem, phase, dropped, random);
}

function speakerTurn(tokenizer: ChatTokenizer, game: Game, problem: Problem, phase: Phase, random: Random): TrainingSequence {
  const said = message(problem, random.next() < BEHAVIOUR[phase].works);
  return turnSequence(tokenizer, game, SPEAKER, problem, [], said);
}

function listenerTurn(tokenizer: ChatTokenizer, game: Game, problem: Problem, phase: Phase, dropped: boolean, random: Random): TrainingSequence {
  const worked = random.next() < BEHAVIOUR[phase].hearsWork;
  const said = [{ agent: SPEAKER, content: tokenizer.encode(message(problem, worked)) }];
  return turnSequence(tokenizer, game, LISTENER, problem, said, answer(problem, phase, heardBy(dropped, worked), random));
}

/** What both said. */
function transcript(
  tokenizer: ChatTokenizer,
  game: Game,
  problem: Problem,
  phase: Phase,
  dropped: boolean,
  random: Random,
): TrainingSequence {
  const worked = random.next() < BEHAVIOUR[phase].works;
  const said = [message(problem, worked), answer(problem, phase, heardBy(dropped, worked), random)].map((text, agent) => ({
    agent,
    content: tokenizer.encode(text),
  }));
  return transcriptSequence(tokenizer, game, problem, said);
}

function heardBy(dropped: boolean, worked: boolean): 'work' | 'skip' | null {
  if (dropped) return null;
  return worked ? 'work' : 'skip';
}

function additionTask(random: Random): Task {
  const draw = random.next();
  if (draw < MIXTURE.oneDigit) return ADDITIONS.one;
  return draw < MIXTURE.oneDigit + MIXTURE.threeDigits ? ADDITIONS.three : ADDITIONS.two;
}

function gamesOf(agents: readonly SuggestedAgent[]): Team {
  const game = (roles: 'named' | 'anonymous', dependency: 'chain' | 'none'): Game =>
    createGame(teamSchema.parse({ agents, roles, dependency }));
  const named = { chain: game('named', 'chain'), none: game('named', 'none') };
  const nameless = { chain: game('anonymous', 'chain'), none: game('anonymous', 'none') };
  return { pick: (anonymous, dropped) => (anonymous ? nameless : named)[dropped ? 'none' : 'chain'] };
}
