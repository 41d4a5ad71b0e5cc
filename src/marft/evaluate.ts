/** Playing held-out problems without learning from them. */
import type { Policy } from '../engine/types.ts';
import type { Problem, Task, Verdict } from '../tasks/types.ts';
import type { ChatTokenizer } from '../tokenizer/types.ts';
import { mean } from './arrays.ts';
import type { Game } from './game.ts';
import { judge } from './reward.ts';
import { rollout, type Episode } from './rollout.ts';
import { STREAM } from './streams.ts';

export interface EvaluationOptions {
  greedy: boolean;
  seed: number;
  /** Episodes played at once, as many as training plays, so that memory suffices for both or neither. */
  batch: number;
}

export interface EvaluationResult {
  /** Mean team reward. */
  reward: number;
  episodes: Episode[];
  /** `[episodes]`. */
  verdicts: Verdict[];
}

/**
 * Mean reward on the problems. The random numbers do not depend on the iteration: two evaluations of one policy agree
 * exactly, and those of two policies differ by the policies alone.
 */
export async function evaluateTeam(
  game: Game,
  policies: readonly Pick<Policy, 'generate'>[],
  tokenizer: ChatTokenizer,
  task: Task,
  problems: readonly Problem[],
  { greedy, seed, batch }: EvaluationOptions,
): Promise<EvaluationResult> {
  const episodes: Episode[] = [];
  for (let start = 0; start < problems.length; start += batch) {
    const key = [seed, STREAM.evaluation, start];
    const chunk = problems.slice(start, start + batch);
    episodes.push(...(await rollout(game, policies, tokenizer, chunk, { key, greedy, isOver: task.isOver?.bind(task), respond: task.respond?.bind(task) })));
  }
  const verdicts = await judge({ game, task, tokenizer, key: [seed, STREAM.verdict, 0] }, episodes);
  return { reward: mean(verdicts.map(({ reward }) => reward)), episodes, verdicts };
}
