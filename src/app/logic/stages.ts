/** The stages of an iteration as the page tells of them. */
import type { Stage } from '../../marft/records.ts';
import type { ChannelName } from './channels.ts';

/** Parts of the page. */
export type Region = 'team' | 'charts' | 'transcripts';

export interface Step {
  stage: Stage;
  /** Whose it is; absent: the whole team's. */
  agent?: string;
  label: string;
  /** What happens in it. */
  explanation: string;
  /** What to look at once it is done. */
  look: string;
  /** Where on the page that is. */
  region: Region;
  /** What the tokens are then best coloured by; absent: as before. */
  channel?: ChannelName;
}

/** In order; `agents` are the names of those who learn, in the team's order. */
export function stepsOf(agents: readonly string[]): Step[] {
  return [
    {
      stage: 'rollout',
      label: 'Play',
      explanation: 'Every agent speaks in turn, in all episodes of the iteration at once.',
      look: 'The transcripts hold what was said just now; nobody has judged it yet.',
      region: 'transcripts',
    },
    {
      stage: 'reward',
      label: 'Judge',
      explanation: 'The answers are compared with the expected ones: the team’s reward.',
      look: 'Every episode now has its reward; all agents of the team share it.',
      region: 'transcripts',
    },
    {
      stage: 'score',
      label: 'Score',
      explanation: 'Each token’s log-prob is computed under the agent that said it, and under the base.',
      look: 'The darker a token, the more it surprised its own speaker.',
      region: 'transcripts',
      channel: 'logprob',
    },
    {
      stage: 'values',
      label: 'Value',
      explanation: 'The critic predicts the reward before every token.',
      look: 'Follow the colour from token to token: where it changes, the critic changed its mind. Before its first lesson it says 0 everywhere.',
      region: 'transcripts',
      channel: 'value',
    },
    {
      stage: 'credit',
      label: 'Credit',
      explanation: 'Advantages are chained backwards through all agents’ tokens (GAE).',
      look: 'Teal tokens went better than the critic expected and will become likelier; purple ones less likely.',
      region: 'transcripts',
      channel: 'advantage',
    },
    {
      stage: 'critic',
      label: 'Critic',
      explanation: 'The critic learns from what its predictions missed.',
      look: 'Its values in the next iteration rest on this lesson; the advantages of this one were taken before it.',
      region: 'charts',
    },
    ...agents.map(
      (agent): Step => ({
        stage: 'update',
        agent,
        label: `Update ${agent}`,
        explanation: `Only ${agent}’s adapter moves: a clipped step towards tokens with a positive advantage.`,
        look: `Point at one of ${agent}’s tokens: the ratio says how many times likelier it has become. The other adapters and the base are unchanged.`,
        region: 'transcripts',
        channel: 'advantage',
      }),
    ),
    {
      stage: 'evaluate',
      label: 'Evaluate',
      explanation: 'Now and then the team answers held-out problems, without learning from them.',
      look: 'The curve of held-out reward has a new point.',
      region: 'charts',
    },
  ];
}

/** The step that a stage belongs to. A stage of nobody in particular is the first of its kind. */
export function stepOf(steps: readonly Step[], { stage, agent }: { stage: Stage; agent?: string }): Step | undefined {
  return steps.find((step) => step.stage === stage && (agent === undefined || step.agent === undefined || step.agent === agent));
}
