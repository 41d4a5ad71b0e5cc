/** The team's reward: the task judges what the answering agent said. */
import type { Task, Verdict } from '../tasks/types.ts';
import type { ChatTokenizer } from '../tokenizer/types.ts';
import { mean, variance } from './arrays.ts';
import type { Game } from './game.ts';
import { spokenIds, type Episode } from './rollout.ts';

/** A verdict per episode, `[episodes]`. */
export function judge(game: Game, task: Task, tokenizer: ChatTokenizer, episodes: readonly Episode[]): Verdict[] {
  return judgeAgent(game.answerer, task, tokenizer, episodes);
}

/** The verdict on what one agent said last in each episode, `[episodes]`; on the empty text where it has said nothing. */
function judgeAgent(agent: number, task: Task, tokenizer: ChatTokenizer, episodes: readonly Episode[]): Verdict[] {
  return episodes.map(({ problem, utterances }) => {
    const last = utterances.findLast((one) => one.agent === agent);
    return task.verify(problem, last === undefined ? '' : tokenizer.decode(spokenIds(last)));
  });
}

/** The team reward for every agent, `[agents][episodes]`. */
export function copiedRewards(game: Game, verdicts: readonly Verdict[]): number[][] {
  return game.agents.map(() => verdicts.map(({ reward }) => reward));
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
