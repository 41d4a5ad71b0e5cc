/** Everybody's turn to learn from an iteration, in the groups and the order of the update schedule. */
import type { Policy, StepOptions } from '../engine/types.ts';
import { at } from './arrays.ts';
import type { Game } from './game.ts';
import { HappoFactor } from './happo.ts';
import { lossShape, type Speech } from './loss-shape.ts';
import { methodOf } from './methods.ts';
import { normalizeAdvantages } from './normalize.ts';
import { utterancesOf, type Episode } from './rollout.ts';
import type { AlgorithmSettings } from './settings.ts';
import type { TokenFindings } from './transcripts.ts';
import { Learner, updateTogether, type PolicyUpdate } from './update-policy.ts';

export interface TeamUpdate {
  game: Game;
  policies: readonly Policy[];
  episodes: readonly Episode[];
  findings: TokenFindings;
  algorithm: AlgorithmSettings;
  stepOptions: StepOptions;
  /** Agents that learn in step with each other, group after group. */
  groups: readonly (readonly number[])[];
  /** Takes each agent's update once it is done. */
  updates: Map<number, PolicyUpdate>;
  /** Runs a group's work and tells whoever listens whose it is. */
  stage: (group: readonly number[], work: () => Promise<void>) => Promise<void>;
}

export async function updateTeam(team: TeamUpdate): Promise<void> {
  const { game, policies, episodes, findings, algorithm, stepOptions, groups, updates, stage } = team;
  const kept = keptUtterances(game, episodes, algorithm.truncation);
  const advantages = normalizeAdvantages(findings.credit.advantages, methodOf(algorithm).normalizes ? algorithm.normalizeAdvantages : 'none', kept);
  const speeches = game.agents.map((_, agent): Speech => ({
    lengths: utterancesOf(episodes, agent).map(({ tokens }) => tokens.length),
    actionSizes: findings.actionSizes === null ? null : at(findings.actionSizes, agent),
    kept: at(kept, agent),
  }));
  const factor = new HappoFactor(episodes, algorithm);

  for (const group of groups) {
    const learners = group.map((agent) => {
      const shape = lossShape(at(speeches, agent), algorithm.lossAveraging, speeches, factor.of(agent));
      const batch = {
        utterances: utterancesOf(episodes, agent),
        temperature: at(game.agents, agent).temperature,
        old: at(findings.scores.old, agent),
        ref: at(findings.scores.ref, agent),
        advantages: at(advantages, agent),
        shape,
      };
      return new Learner(at(policies, agent), batch, algorithm);
    });
    await stage(group, async () => {
      await updateTogether(learners, algorithm, stepOptions);
      group.forEach((agent, k) => {
        const { update } = at(learners, k);
        updates.set(agent, update);
        factor.multiply(agent, at(findings.scores.old, agent).logprobs, update.newLogprobs);
      });
    });
  }
}

/** Which utterances the policies learn from, `[agents][utterances]`: all, or those that the length limit has not cut. */
export function keptUtterances(game: Game, episodes: readonly Episode[], truncation: AlgorithmSettings['truncation']): boolean[][] {
  return game.agents.map((_, agent) => utterancesOf(episodes, agent).map(({ truncated }) => truncation !== 'mask' || !truncated));
}
