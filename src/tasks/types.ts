/**
 * A task: problems, what each agent is told of them, and the reward. Implement this interface in a file of its own and
 * add one line to the registry.
 */
import type { Random } from '../random/random.ts';
import type { TaskServices } from './services.ts';

export interface Problem {
  /** Stable identity; no id occurs in both splits. */
  id: string;
  /** What every agent is told. */
  question: string;
  /** What only the first speaking agent is told in addition; absent when nothing is secret. */
  secret?: string;
  /** The expected answer, as text. */
  answer: string;
}

export interface Verdict {
  /** Team reward in [0, 1]. */
  reward: number;
  /** Named parts of it, each in [0, 1]: those that the task names. */
  parts: Record<string, number>;
  /** Why it could not be judged, in a sentence; the reward is then 0. */
  fault?: string;
}

/** How an answer came about. */
export interface Attempt {
  /** What the answering agent has said in each turn of the episode, the judged answer last; empty where it said nothing. */
  answers: readonly string[];
  /** Everything that was said in the episode, in order. */
  utterances?: readonly { agent: string; text: string }[];
  /** Chance that the verdict may depend on, the same whenever this episode is played again. */
  random: Random;
}

export interface Task {
  name: string;
  /** One sentence for the page. */
  description: string;
  /** What there is to see while a team learns it, in a sentence or two, for lessons. */
  watch?: string;
  /** Reward of guessing without any message, in [0, 1]. */
  chance: number;
  /** Reward of a perfect team where that is not 1. */
  ceiling?: number;
  /** Names of the parts of its verdicts, the one that its reward is made of first. */
  parts: readonly string[];
  /** Fetches what the task needs of the world; awaited once, before any problem is asked for. Absent: it needs nothing. */
  prepare?(services: TaskServices): Promise<void>;
  /** Problems as long as they come, for reckoning memory, also before `prepare`; absent: held-out ones do. */
  sample?(): Problem[];
  /** A training problem; the same generator state gives the same problem. */
  train(random: Random): Problem;
  /** `count` distinct-where-possible held-out problems, always the same for the same count and seed. */
  heldOut(count: number, seed: number): Problem[];
  /** Whether an episode of several turns ends with the last of these answers, one a turn; absent: it goes through all its turns. */
  isOver?(problem: Problem, answers: readonly string[]): boolean;
  /**
   * What comes back from the world after a turn that does not end the episode, given the answers so far: a line of all agents' later
   * prompts. It quotes no agent: an utterance is passed on as it was sampled, or not at all.
   */
  respond?(problem: Problem, answers: readonly string[]): string;
  /** Judges the answering agent's last utterance (decoded, without the stop token). Never throws or rejects, whatever the text. */
  verify(problem: Problem, answer: string, attempt: Attempt): Verdict | Promise<Verdict>;
}
