/**
 * What can be set about a team and the algorithm, with its bounds. The experiment document embeds these two schemas;
 * the trainer reads nothing else. Names follow the paper and CleanRL.
 */
import { z } from 'zod';

// Zod would compile validators with `new Function`, which the page's content-security policy forbids.
z.config({ jitless: true });

/** The seven projections of a Qwen block that can carry a LoRA adapter. */
export const LORA_TARGETS = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'] as const;

export const loraSchema = z.strictObject({
  rank: z.int().min(1).max(256).default(8),
  alpha: z.number().positive().max(1024).default(16),
  targets: z.array(z.enum(LORA_TARGETS)).min(1).max(7).default([...LORA_TARGETS]),
  /** The adapter counts α/√rank instead of α/rank. */
  rslora: z.boolean().default(false),
});

export const agentSchema = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9-]{0,23}$/, 'lower-case letters, digits and hyphens, at most 24'),
  /** System prompt: what this agent is told to be. */
  profile: z.string().max(4000),
  /** Last line of the user turn: what this agent shall do now. */
  instruction: z.string().max(4000).default(''),
  /** Exactly one agent answers; the others speak to the agents that depend on them. */
  role: z.enum(['speaks', 'answers']),
  trainable: z.boolean().default(true),
  maxNewTokens: z.int().min(1).max(1024).default(32),
  /** Sampling temperature, and equally the temperature at which tokens are scored. */
  temperature: z.number().min(0.05).max(4).default(1),
  /** Draw only from the k likeliest tokens; 0: all. As with the next two, tokens are scored under the whole distribution all the same. */
  topK: z.int().min(0).max(1_000_000).default(0),
  /** Draw only from the likeliest tokens that together reach this probability; 1: all. */
  topP: z.number().positive().max(1).default(1),
  /** Draw only tokens at least this many times as likely as the likeliest; 0: all. */
  minP: z.number().min(0).max(1).default(0),
  adapter: loraSchema.prefault({}),
});

export const teamSchema = z.strictObject({
  agents: z.array(agentSchema).min(1).max(8),
  /**
   * D: `dependency[i][j]` true when agent j's prompt contains agent i's utterance; `chain` is the full strictly upper
   * triangle (everyone sees everyone before), `none` the zero matrix.
   */
  dependency: z.union([z.enum(['chain', 'none']), z.array(z.array(z.boolean()).max(8)).max(8)]).default('chain'),
  /** `named`: each agent has its own profile; `anonymous`: "agent k of a team". */
  roles: z.enum(['named', 'anonymous']).default('named'),
  /** Turns of an episode: the pipeline repeats, prompts show the earlier turns, and the last turn's answer is judged. */
  horizon: z.int().min(1).max(8).default(1),
});

export const algorithmSchema = z.strictObject({
  /**
   * `marft` chains credit through all agents' tokens. `ippo` gives each agent its own chain, critic view and a copy of the team reward;
   * `maporl` besides cuts D, makes profiles alike and rewards an agent half for its own answer and half for the mean of all. `group` has
   * no critic and compares episodes of one problem. `none` plays and trains nothing.
   */
  method: z.enum(['marft', 'ippo', 'maporl', 'group', 'none']).default('marft'),
  /** Group: episodes of one problem; `schedule.episodes` is a multiple of it. */
  groupSize: z.int().min(2).max(1024).default(8),
  /** Group: divide advantages by the group's deviation too. `normalizeAdvantages` does nothing to this method. */
  groupDeviation: z.boolean().default(true),
  /** What decides and is valued: every token, or every utterance as a whole (MARFT-A). */
  level: z.enum(['token', 'action']).default('token'),
  /** Action level: an utterance's log-ratio is the sum over its tokens, or that divided by its number of tokens or words. */
  actionNormalization: z.enum(['sum', 'token', 'word']).default('sum'),
  /**
   * An utterance cut by its length limit: `none` treats it as any other; `mask` leaves its tokens out of the policy's loss;
   * `bootstrap` puts the critic's last value in the place of the verdict where it was an episode's end that was cut.
   */
  truncation: z.enum(['none', 'mask', 'bootstrap']).default('none'),
  /** Discount from token to token of one utterance. POAD: this 1 and `gammaAgent` 0.99; every token: both 0.99. */
  gammaToken: z.number().min(0).max(1).default(1),
  /** Discount from the end of an utterance to the next agent's, or the next turn's. */
  gammaAgent: z.number().min(0).max(1).default(1),
  /** 1: the critic is fitted to what really followed, and not to its own values. */
  lambdaToken: z.number().min(0).max(1).default(1),
  lambdaAgent: z.number().min(0).max(1).default(1),
  clipLow: z.number().min(0).max(1).default(0.2),
  clipHigh: z.number().min(0).max(10).default(0.2),
  entropyCoef: z.number().min(0).max(1).default(0),
  /** β of the k3 penalty in the loss; the KL to the base is logged whatever this is. */
  klLossCoef: z.number().min(0).max(10).default(0),
  /** β of −β · (log π − log π_base), added to every token's reward. */
  klRewardCoef: z.number().min(0).max(10).default(0),
  /** The loss is a mean over the agent's own tokens, over all agents' tokens, or over its utterances of each one's mean. */
  lossAveraging: z.enum(['own-tokens', 'all-tokens', 'per-sequence']).default('own-tokens'),
  normalizeAdvantages: z.enum(['joint', 'per-agent', 'none']).default('joint'),
  /** Passes over an iteration's tokens, per agent. */
  epochs: z.int().min(1).max(16).default(1),
  /** One agent after the other, all in step (one KL stop, nobody before all have their gradients), or one agent for many iterations. */
  updateSchedule: z.enum(['sequential', 'joint', 'blocks']).default('sequential'),
  /** Blocks: iterations until the next agent's turn. */
  blockIterations: z.int().min(1).max(10_000).default(5),
  order: z.enum(['fixed', 'random']).default('fixed'),
  /**
   * HAPPO: an agent weighs an episode by the new/old ratios of the agents updated before it: of their summed log-probs, or of these
   * divided by the number of tokens.
   */
  happo: z.enum(['off', 'sum', 'length']).default('off'),
  /** HAPPO's factor is kept within 1 ± this. */
  happoClip: z.number().min(0).max(10).default(0.2),
  learningRate: z.number().min(0).max(1).default(3e-3),
  lrSchedule: z.enum(['constant', 'linear', 'cosine']).default('linear'),
  /** A linear or cosine schedule ends at this fraction of the learning rate. */
  lrFinalFraction: z.number().min(0).max(1).default(0.1),
  /** Iterations over which the learning rate rises in a line to its full value. */
  warmupIterations: z.int().min(0).max(100_000).default(0),
  /** Utterances (for the critic: sequences) of one backward pass; 0: all. Changes memory and nothing else. */
  microBatch: z.int().min(0).max(1024).default(0),
  maxGradNorm: z.number().positive().max(1000).default(1),
  weightDecay: z.number().min(0).max(1).default(0),
  /** Skip the rest of an agent's epochs once the mean k3 estimate against the old policy exceeds this; null: never. */
  targetKl: z.number().positive().max(10).nullable().default(null),
  /** Pause the run once an update has moved an agent, or an agent has moved from the base, by more nats a token than this; null: never. */
  klLimit: z.number().positive().max(1000).nullable().default(5),
  critic: z.strictObject({
    /**
     * `ridge`: a linear critic on what the frozen base makes of the transcript, in closed form. `gradient`: a value head, and an
     * adapter of its own where asked for, trained with AdamW on the clipped value loss.
     */
    method: z.enum(['ridge', 'gradient']).default('ridge'),
    /** Independent PPO has the acting agent's view whatever this is. */
    view: z.enum(['global', 'acting-agent']).default('global'),
    /** Ridge: weight of the squared coefficients, features standardised, in tokens. */
    penalty: z.number().positive().max(1e6).default(100),
    /** Ridge: how much an iteration counts once the next one has come; 1: nothing is forgotten. */
    memory: z.number().min(0).max(1).default(0.9),
    /** Gradient, as all that follow: constant throughout a run, because what the critic has to fit keeps moving. */
    learningRate: z.number().min(0).max(1).default(3e-3),
    epochs: z.int().min(1).max(64).default(4),
    /** Iterations of earlier transcripts that the critic keeps fitting on, the present one included. */
    window: z.int().min(1).max(32).default(6),
    /** How far an update's loss may pull a value from where it was; 0: any distance. */
    clip: z.number().min(0).max(10).default(0.2),
    loss: z.enum(['mse', 'huber']).default('mse'),
    /** Iterations at the start in which the critic learns and the policies do not. */
    warmupIterations: z.int().min(0).max(100_000).default(0),
    /** The critic's own LoRA on the shared frozen base; null: a head on frozen features only. */
    adapter: loraSchema.nullable().default(null),
  }).prefault({}),
});

export type LoraSettings = z.output<typeof loraSchema>;
export type AgentSettings = z.output<typeof agentSchema>;
export type TeamSettings = z.output<typeof teamSchema>;
export type AlgorithmSettings = z.output<typeof algorithmSchema>;
