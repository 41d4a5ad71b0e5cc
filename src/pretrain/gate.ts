/** What a pre-trained model must show before it is shipped: the untrained teams' scores, not its loss. */
import type { LanguageModel } from '../engine/types.ts';
import { evaluateTeam, type EvaluationResult } from '../marft/evaluate.ts';
import { createGame } from '../marft/game.ts';
import { spokenIds } from '../marft/rollout.ts';
import { teamSchema } from '../marft/settings.ts';
import type { SuggestedTeam } from '../tasks/teams.ts';
import type { Problem, Task } from '../tasks/types.ts';
import type { ChatTokenizer } from '../tokenizer/types.ts';

/** A game that a model is measured at, and what its untrained team may score. */
export interface GatedGame {
  /** What the model card calls it. */
  label: string;
  task: Task;
  team: SuggestedTeam;
  /** Mean reward at temperature 1, at least and at most: enough for reinforcement to find something, and far below what it reaches. */
  sampled: readonly [low: number, high: number];
  /** Mean reward of greedy decoding, at most. */
  greedy: number;
  /** What the first agent says when it works, and instead of working; absent where that is no matter of all or nothing. */
  work?: { of(problem: Problem): string; skipped: string; /** Share of what is written that must be exactly right. */ right: number };
}

export interface GameReport {
  label: string;
  sampled: number;
  greedy: number;
  /** Share of first agents that worked, and share of that work that is exactly right; null where the game has no such work. */
  works: number | null;
  workRight: number | null;
}

/** Held-out problems per figure; a multiple of ten, so that secrets are balanced. */
export const GATE_PROBLEMS = 500;
const SEED = 1;

export async function reportTeams(model: LanguageModel, tokenizer: ChatTokenizer, games: readonly GatedGame[], problems = GATE_PROBLEMS): Promise<GameReport[]> {
  const reports: GameReport[] = [];
  for (const { label, task, team, work } of games) {
    const game = createGame(teamSchema.parse(team));
    const policies = game.agents.map(() => model.base);
    const play = (greedy: boolean): Promise<EvaluationResult> =>
      evaluateTeam(game, policies, tokenizer, task, task.heldOut(problems, SEED), { greedy, seed: SEED, batch: 100 });
    const sampled = await play(false);
    const written = sampled.episodes.flatMap(({ problem, utterances: [first] }) => {
      if (!work || !first) return [];
      const said = tokenizer.decode(spokenIds(first));
      return said === work.skipped ? [] : [said === work.of(problem)];
    });
    reports.push({
      label,
      sampled: sampled.reward,
      greedy: (await play(true)).reward,
      works: work ? written.length / sampled.episodes.length : null,
      workRight: work ? written.filter(Boolean).length / Math.max(1, written.length) : null,
    });
  }
  return reports;
}

/** What is wrong with a model for the default experiments, a sentence each; none when it may be shipped. */
export function faults(games: readonly GatedGame[], reports: readonly GameReport[]): string[] {
  return games.flatMap(({ label, sampled: [low, high], greedy, work }) => {
    const report = reports.find((one) => one.label === label);
    if (!report) return [`${label} was not played`];
    const checks: [boolean, string][] = [
      [report.sampled >= low && report.sampled <= high, `the untrained team must score ${low} to ${high} at ${label}`],
      [report.greedy <= greedy, `greedy decoding must score at most ${greedy} at ${label}`],
      [!work || (report.workRight ?? 0) >= work.right, `work that is written must be right at least ${100 * (work?.right ?? 0)} % of the time at ${label}`],
    ];
    return checks.filter(([holds]) => !holds).map(([, sentence]) => sentence);
  });
}
