/** The team's reward: the task judges what the answering agent said. */
import { Random } from '../random/random.ts';
import type { Task, Verdict } from '../tasks/types.ts';
import type { ChatTokenizer } from '../tokenizer/types.ts';
import { at, mean, variance } from './arrays.ts';
import type { Method } from './methods.ts';
import type { Game } from './game.ts';
import { answersOf, spokenIds, type Episode } from './rollout.ts';

/** Whose words are judged, and what keys the chance in a verdict: seed, purpose, iteration. */
export interface Bench {
  game: Game;
  task: Task;
  tokenizer: ChatTokenizer;
  key: readonly number[];
}

/** A verdict per episode, `[episodes]`. */
export function judge(bench: Bench, episodes: readonly Episode[]): Promise<Verdict[]> {
  return judgeAgent(bench, bench.game.answerer, episodes);
}

/** The verdict on what one agent said last in each episode, `[episodes]`; on the empty text where it has said nothing. */
function judgeAgent({ game, task, tokenizer, key }: Bench, agent: number, episodes: readonly Episode[]): Promise<Verdict[]> {
  return Promise.all(
    episodes.map((episode, row) => {
      const answers = answersOf(episode, agent, tokenizer);
      const utterances = episode.utterances.map((one) => ({ agent: at(game.agents, one.agent).name, text: tokenizer.decode(spokenIds(one)) }));
      return task.verify(episode.problem, answers.at(-1) ?? '', { answers, utterances, random: new Random(...key, row, agent) });
    }),
  );
}

/** Who has earned what. */
export interface Rewards {
  /** What each agent learns from, `[agents][episodes]`. */
  ofAgents: number[][];
  /** The verdicts on each agent's own words, `[agents][episodes]`; null where only the team's counts. */
  own: number[][] | null;
}

/** The team reward copied to everyone; or, mixed, half the verdict on an agent's own words and half the mean over the team. */
export async function shareRewards(
  kind: Method['rewards'],
  bench: Bench,
  episodes: readonly Episode[],
  verdicts: readonly Verdict[],
): Promise<Rewards> {
  const { agents } = bench.game;
  if (kind === 'copied') return { ofAgents: agents.map(() => verdicts.map(({ reward }) => reward)), own: null };
  const judged = await Promise.all(agents.map((_, agent) => judgeAgent(bench, agent, episodes)));
  const own = judged.map((ofAgent) => ofAgent.map(({ reward }) => reward));
  const team = episodes.map((_, episode) => mean(own.map((ofAgent) => at(ofAgent, episode))));
  return { ofAgents: own.map((ofAgent) => ofAgent.map((reward, episode) => 0.5 * reward + 0.5 * at(team, episode))), own };
}

/** True when to no agent one episode brought more than another: then the rewards do not say what to do. */
export function areIndifferent({ ofAgents }: Rewards): boolean {
  return ofAgents.every((ofAgent) => ofAgent.every((reward) => reward === ofAgent[0]));
}

/** True when no episode did better than another, as far as the team is concerned. */
export function allEqual(verdicts: readonly Verdict[]): boolean {
  return verdicts.every(({ reward }) => reward === verdicts[0]?.reward);
}

/** Mean and deviation of the team reward and the mean of every named part of it, in units of reward. */
export function rewardSummary(verdicts: readonly Verdict[]): { mean: number; std: number; parts: Record<string, number> } {
  const rewards = verdicts.map(({ reward }) => reward);
  const names = new Set(verdicts.flatMap(({ parts }) => Object.keys(parts)));
  return {
    mean: mean(rewards),
    std: Math.sqrt(variance(rewards)),
    parts: Object.fromEntries(
      [...names].map((name) => [name, mean(verdicts.map(({ parts }) => parts[name] ?? 0))]),
    ),
  };
}
