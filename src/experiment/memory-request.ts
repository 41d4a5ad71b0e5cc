/** What the memory planner has to know of an experiment: how much is played at once, and how long it can become. */
import type { MemoryRequest } from '../engine/planner.ts';
import { featureCount } from '../qwen/value-head.ts';
import type { BackendKind } from '../runtime/backend.ts';
import { createGame } from '../marft/game.ts';
import { methodOf } from '../marft/methods.ts';
import { equationBytes } from '../marft/ridge.ts';
import { agentMessages, transcriptMessages, WORLD, type Reply, type Said } from '../marft/prompt.ts';
import type { Problem, Task } from '../tasks/types.ts';
import type { QwenConfig } from '../qwen/config.ts';
import type { ChatTokenizer } from '../tokenizer/types.ts';
import type { Experiment } from './schema.ts';

/** Measured: Node with ONNX Runtime, this program and a tokenizer of 150,000 tokens. */
const PROCESS_BYTES = 160e6;

/** Held-out problems that are looked at where the task has no better sample; others may be a little longer, which the rounding of lengths mostly covers. */
const SAMPLE = 32;

/** Lengths are the longest when every utterance is as long as it may be, on a sample of held-out problems. */
export function memoryRequest(experiment: Experiment, config: QwenConfig, task: Task, tokenizer: ChatTokenizer, backend: BackendKind): MemoryRequest {
  const { algorithm, schedule, seed } = experiment;
  const method = methodOf(algorithm);
  const team = method.team(experiment.team);
  const game = createGame(team);
  const said: Said<Int32Array>[] = game.order.map((agent) => ({ agent, content: new Int32Array(team.agents[agent]?.maxNewTokens ?? 0) }));
  // In the last turn prompts hold all the turns before it, and the transcript all of them.
  const turnOf = (problem: Problem): (Said<Int32Array> | Reply)[] => [...said, ...(task.respond ? [{ agent: WORLD, content: task.respond(problem, []) } as const] : [])];
  const turns = (problem: Problem, count: number): (Said<Int32Array> | Reply)[] => Array.from({ length: count }, () => turnOf(problem)).flat();
  const problems = task.sample?.() ?? task.heldOut(SAMPLE, seed);
  const longest = (length: (problem: Problem) => number): number => Math.max(...problems.map(length));
  const critics = { team: 1, 'per-agent': team.agents.length, none: 0 }[method.critics];
  return {
    config,
    // Held-out problems are played so many at once as well.
    rows: schedule.episodes,
    promptTokens: Math.max(...game.order.map((agent) => longest((problem) => tokenizer.chat(agentMessages(game, agent, problem, said, turns(problem, game.horizon - 1)), true).ids.length))),
    newTokens: Math.max(...team.agents.map(({ maxNewTokens }) => maxNewTokens)),
    transcriptTokens: longest((problem) => tokenizer.chat(transcriptMessages(game, problem, turns(problem, game.horizon)), false).ids.length),
    program: backend === 'cpu' ? PROCESS_BYTES + (algorithm.critic.method === 'ridge' ? critics * equationBytes(featureCount(config)) : 0) : 0,
    adapters: [
      ...team.agents.map((agent) => agent.adapter),
      ...(algorithm.critic.method === 'gradient' ? Array.from({ length: critics }, () => algorithm.critic.adapter ?? []).flat() : []),
    ],
  };
}
