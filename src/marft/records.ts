/**
 * What a run leaves behind, as plain JSON: a line of metrics and the transcripts of an iteration. The page, the command
 * line and stored runs share these shapes.
 */
import type { BackendInfo } from '../runtime/backend.ts';

/** Metrics of one iteration by their documented names (`reward/mean`, `reasoner/approx_kl`, `time/rollout_s`, …). */
export type MetricRow = { iteration: number } & Record<string, number>;

/** One generated token with everything the algorithm computed for it. Log-probs in nats, at the agent's temperature. */
export interface TokenRecord {
  id: number;
  text: string;
  /** Log-prob under the policy before this iteration's update (training graph). */
  logprob: number;
  /** Log-prob after this agent's update; null while it has not been computed (frozen agent, skipped update). */
  newLogprob: number | null;
  /** exp(newLogprob − logprob). */
  ratio: number | null;
  /** Entropy of the full next-token distribution, in nats. */
  entropy: number;
  /** k3 estimate of KL(policy ‖ adapter-off base) at this token, in nats. */
  refKl: number;
  /** Critic's value of the prefix before this token, in units of reward. */
  value: number;
  /** GAE advantage before normalisation, in units of reward. */
  advantage: number;
  /** Reward that arrived at this token. */
  reward: number;
  /** Temporal-difference error δ of this token, in units of reward. */
  delta: number;
}

export interface UtteranceRecord {
  agent: string;
  /** The exact prompt, decoded with special tokens visible. */
  prompt: string;
  text: string;
  truncated: boolean;
  tokens: TokenRecord[];
}

export interface EpisodeRecord {
  iteration: number;
  episode: number;
  question: string;
  /** What only some agents were told, by agent name. */
  privateQuestions: Record<string, string>;
  expected: string;
  reward: number;
  /** Parts of the reward by name, before weighting. */
  rewardParts: Record<string, number>;
  utterances: UtteranceRecord[];
}

export interface Evaluation {
  /** Held-out problems used. */
  problems: number;
  /** Mean reward with sampling at each agent's temperature. */
  sampled: number;
  /** Mean reward with greedy decoding. */
  greedy: number;
}

/** Everything a running trainer tells whoever listens, in order. */
export type TrainerEvent =
  | { type: 'loading'; message: string; loaded?: number; total?: number }
  | { type: 'ready'; backend: BackendInfo; chance: number }
  | { type: 'stage'; iteration: number; stage: Stage; agent?: string }
  | { type: 'evaluation'; iteration: number; evaluation: Evaluation }
  | { type: 'iteration'; metrics: MetricRow; episodes: EpisodeRecord[] }
  | { type: 'notice'; message: string }
  | { type: 'paused'; iteration: number; reason: string | null }
  | { type: 'finished'; iteration: number };

export type Stage = 'rollout' | 'reward' | 'score' | 'values' | 'credit' | 'update' | 'critic' | 'evaluate';
