/** Why a run should pause by itself: what an iteration has done is not to be built upon. */
import type { Verdict } from '../tasks/types.ts';
import { at, concat, mean } from './arrays.ts';
import type { Game } from './game.ts';
import type { Iteration } from './iteration.ts';

/** Steps in a row that may be dropped before the run pauses: one can be a bad batch, three are a diverged network. */
export const DROPPED_STEPS_BEFORE_PAUSE = 3;

/**
 * The reason in a sentence or two with what can be done, or null. `klLimit` in nats a token; null: no limit. Distances are plain means of
 * log-ratios, and not the k3 estimates of the metrics: of these a single unlikely token can be most.
 */
export function faultOf(
  game: Game,
  { findings, updates }: Pick<Iteration, 'findings' | 'updates'>,
  droppedInARow: number,
  klLimit: number | null,
): string | null {
  if (droppedInARow >= DROPPED_STEPS_BEFORE_PAUSE) {
    return (
      `${droppedInARow} updates in a row were not finite numbers and were dropped; the weights are those from before. ` +
      'Lower the learning rate or the gradient-norm limit, or raise the temperature, and start again.'
    );
  }
  for (const [agent, { name }] of game.agents.entries()) {
    const old = concat(at(findings.scores.old, agent).logprobs);
    const moved = updates.get(agent)?.newLogprobs ?? null;
    const update = moved === null ? 0 : meanDifference(old, concat(moved));
    const base = meanDifference(old, concat(at(findings.scores.ref, agent)));
    if (!Number.isFinite(update) || !Number.isFinite(base)) {
      return `The log-probs of ${name} are no longer finite numbers: its weights have grown beyond all bounds. ${WAY_OUT}`;
    }
    if (klLimit === null) continue;
    if (update > klLimit) return `The update moved ${name} by ${figure(update)} nats a token, beyond the limit of ${klLimit}. ${WAY_OUT}`;
    if (base > klLimit) return `${name} is ${figure(base)} nats a token away from the base model, beyond the limit of ${klLimit}. ${WAY_OUT}`;
  }
  return null;
}

/** How many could not be judged and why the first could not, in a sentence or two, or null; where none could, an iteration is not to be built upon. */
export function unjudgedOf(verdicts: readonly Verdict[]): { message: string; all: boolean } | null {
  const faults = verdicts.flatMap(({ fault }) => (fault === undefined ? [] : [fault]));
  const [first] = faults;
  if (first === undefined) return null;
  const all = faults.length === verdicts.length;
  return { message: `${all ? 'No episode' : `${faults.length} of ${verdicts.length} episodes`} could${all ? '' : ' not'} be judged. ${first}${all ? '' : ' They count as 0.'}`, all };
}

const WAY_OUT =
  'The last checkpoint is from before it. Start again with a lower learning rate, a target KL or a KL penalty; ' +
  'algorithm.klLimit sets the limit, and null takes it away.';

/** Mean of a − b; 0 of nothing. */
function meanDifference(a: Float32Array, b: Float32Array): number {
  return a.length === 0 ? 0 : mean(a) - mean(b);
}

function figure(nats: number): string {
  return nats.toFixed(1);
}
