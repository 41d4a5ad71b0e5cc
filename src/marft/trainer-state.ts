/**
 * Where a run stands, as plain data: what `Trainer.state` returns and `Trainer.restore` takes. There is no generator state in it: random
 * numbers are counter-based and keyed by seed and iteration. The learning rate and whose turn it is follow from the iteration too.
 */
import type { Policy } from '../engine/types.ts';
import { at } from './arrays.ts';
import type { Critic } from './critics.ts';
import type { Game } from './game.ts';
import { prefixed, refuseState, singles, under, type StateTensors } from './state-tensors.ts';

export interface TrainerState {
  /** Iterations completed. */
  iteration: number;
  /** Updates that were not finite, in a row, up to now. */
  droppedInARow: number;
  /**
   * `agent.<name>.<PEFT name>` and its moments `agent.<name>.adam.…` for every agent, `critic.<k>.…` for every critic (a gradient critic's
   * head, adapter, moments and window of transcripts; a ridge critic's normal equations and standardisation).
   */
  tensors: StateTensors;
}

/** What is trained. */
export interface Trained {
  game: Game;
  policies: readonly Policy[];
  critics: readonly Critic[];
}

export async function trainedTensors({ game, policies, critics }: Trained): Promise<StateTensors> {
  const tensors: StateTensors = new Map();
  const add = (prefix: string, own: StateTensors): void => prefixed(prefix, own).forEach((tensor, name) => tensors.set(name, tensor));
  for (const [agent, { name }] of game.agents.entries()) add(agentPrefix(name), await at(policies, agent).state());
  for (const [k, critic] of critics.entries()) add(criticPrefix(k), await critic.state());
  return tensors;
}

/** Throws a PlaygroundError (`state-mismatch`) for another team's tensors; some may have been put back by then. */
export async function restoreTrained({ game, policies, critics }: Trained, tensors: StateTensors): Promise<void> {
  const prefixes = [...game.agents.map(({ name }) => agentPrefix(name)), ...critics.map((_, k) => criticPrefix(k))];
  for (const name of tensors.keys()) {
    if (!prefixes.some((prefix) => name.startsWith(prefix))) refuseState(`The saved ${name} belongs to nobody of this team.`);
  }
  for (const [agent, { name }] of game.agents.entries()) await at(policies, agent).restore(singles(under(agentPrefix(name), tensors)));
  for (const [k, critic] of critics.entries()) await critic.restore(under(criticPrefix(k), tensors));
}

const agentPrefix = (name: string): string => `agent.${name}.`;
const criticPrefix = (k: number): string => `critic.${k}.`;
