/** The team's reward: the task judges what the answering agent said. */
import type { Task, Verdict } from '../tasks/types.ts';
import type { ChatTokenizer } from '../tokenizer/types.ts';
import { at, mean, variance } from './arrays.ts';
import type { Game } from './game.ts';
import { spokenIds, utterancesOf, type Episode } from './rollout.ts';

/** A verdict per episode, `[episodes]`. */
export function judge(game: Game, task: Task, tokenizer: ChatTokenizer, episodes: readonly Episode[]): Verdict[] {
  const answers = utterancesOf(episodes, game.answerer);
  return episodes.map(({ problem }, k) => task.verify(problem, tokenizer.decode(spokenIds(at(answers, k)))));
}

/** True when no episode did better than another, so that the reward says nothing about what to do. */
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
