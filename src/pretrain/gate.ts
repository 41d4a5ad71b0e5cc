/** What a pre-trained model must show before it is shipped: the untrained team's scores, not its loss. */
import type { LanguageModel } from '../engine/types.ts';
import { evaluateTeam, type EvaluationResult } from '../marft/evaluate.ts';
import { createGame } from '../marft/game.ts';
import { spokenIds } from '../marft/rollout.ts';
import { teamSchema } from '../marft/settings.ts';
import { duoAddition } from '../tasks/addition.ts';
import { secretDigit } from '../tasks/secret.ts';
import { ADDITION_TEAM, SECRET_TEAM } from '../tasks/teams.ts';
import type { ChatTokenizer } from '../tokenizer/types.ts';
import { SKIPPED_ADDITION, scratchWork } from './behaviour.ts';

export interface TeamReport {
  /** Mean reward of the untrained duo on held-out additions, sampled at temperature 1 and greedily. */
  additionSampled: number;
  additionGreedy: number;
  secretSampled: number;
  secretGreedy: number;
  /** Share of reasoners that worked rather than skipping. */
  works: number;
  /** Share of written scratch work that is exactly right. */
  workRight: number;
}

/** Held-out problems per figure; a multiple of ten, so that secrets are balanced. */
const PROBLEMS = 500;
const SEED = 1;

export async function reportTeams(model: LanguageModel, tokenizer: ChatTokenizer): Promise<TeamReport> {
  const addition = createGame(teamSchema.parse({ agents: ADDITION_TEAM }));
  const secret = createGame(teamSchema.parse({ agents: SECRET_TEAM }));
  const play = (game: typeof addition, task: ReturnType<typeof duoAddition>, greedy: boolean): Promise<EvaluationResult> => {
    const policies = game.agents.map(() => model.base);
    return evaluateTeam(game, policies, tokenizer, task, task.heldOut(PROBLEMS, SEED), { greedy, seed: SEED, batch: 100 });
  };
  const sampled = await play(addition, duoAddition(2), false);
  const work = sampled.episodes.flatMap(({ problem, utterances: [reasoner] }) => {
    if (!reasoner) return [];
    const said = tokenizer.decode(spokenIds(reasoner));
    return said === SKIPPED_ADDITION ? [] : [said === scratchWork(problem.question)];
  });
  return {
    additionSampled: sampled.reward,
    additionGreedy: (await play(addition, duoAddition(2), true)).reward,
    secretSampled: (await play(secret, secretDigit(), false)).reward,
    secretGreedy: (await play(secret, secretDigit(), true)).reward,
    works: work.length / sampled.episodes.length,
    workRight: work.filter(Boolean).length / Math.max(1, work.length),
  };
}

/** What is wrong with a model for the default experiments, a sentence each; none when it may be shipped. */
export function faults(report: TeamReport): string[] {
  const checks: [boolean, string][] = [
    [report.additionSampled >= 0.2 && report.additionSampled <= 0.45, 'the untrained duo must score 0.20 to 0.45 on additions'],
    [report.additionGreedy <= 0.6, 'greedy decoding must score at most 0.6 on additions'],
    [report.secretSampled >= 0.2 && report.secretSampled <= 0.5, 'the untrained team must score 0.20 to 0.50 on secrets'],
    [report.secretGreedy <= 0.6, 'greedy decoding must score at most 0.6 on secrets'],
    [report.workRight >= 0.95, 'scratch work that is written must be right at least 95 % of the time'],
  ];
  return checks.filter(([holds]) => !holds).map(([, sentence]) => sentence);
}
