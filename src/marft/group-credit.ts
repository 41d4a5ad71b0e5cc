/** The group baseline (GRPO, arXiv 2402.03300): no critic; an episode is compared with others of the same problem. */
import { at, mean, variance } from './arrays.ts';
import { emptyCredit, type BatchCredit, type Play } from './assign-credit.ts';
import type { Game } from './game.ts';
import { slotsOf } from './rollout.ts';
import type { AlgorithmSettings } from './settings.ts';

/** Keeps the division finite in a group of equals, in units of reward. */
const EPSILON = 1e-8;

/**
 * Every decision of an episode has the advantage (R − mean of its group), divided by the group's deviation when asked. R is the team's
 * reward and all penalties of the episode. Groups are runs of `groupSize` episodes. There are no values and no TD errors.
 */
export function groupCredit(
  game: Game,
  { episodes, rewards, values, penalties }: Play,
  { groupSize, groupDeviation }: Pick<AlgorithmSettings, 'groupSize' | 'groupDeviation'>,
): BatchCredit {
  const batch = emptyCredit(values);
  const slots = slotsOf(game, episodes);
  const places = episodes.map(({ utterances }, k) => utterances.map(({ agent }, u) => [agent, at(at(slots, k), u)] as const));
  const earned = places.map((ofEpisode, episode) =>
    ofEpisode.reduce(
      (sum, [agent, slot]) => sum + (penalties === null ? 0 : at(at(penalties, agent), slot).reduce((a, b) => a + b, 0)),
      at(at(rewards, game.answerer), episode),
    ),
  );
  places.forEach((ofEpisode, episode) => {
    const start = episode - (episode % groupSize);
    const group = earned.slice(start, start + groupSize);
    const spread = groupDeviation ? Math.sqrt(variance(group)) + EPSILON : 1;
    const advantage = (at(earned, episode) - mean(group)) / spread;
    for (const [agent, slot] of ofEpisode) {
      at(at(batch.advantages, agent), slot).fill(advantage);
      at(at(batch.returns, agent), slot).fill(at(earned, episode));
      at(at(batch.outcomes, agent), slot).fill(at(earned, episode));
      if (penalties !== null) at(at(batch.rewards, agent), slot).set(at(at(penalties, agent), slot));
    }
    const [agent, slot] = ofEpisode.at(-1) ?? [];
    if (agent === undefined || slot === undefined) return;
    const last = at(at(batch.rewards, agent), slot);
    if (last.length > 0) last[last.length - 1] = at(last, last.length - 1) + at(at(rewards, game.answerer), episode);
  });
  return batch;
}
