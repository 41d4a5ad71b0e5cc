/** The lessons, in order. A new one is a component in `content` and an entry here. */
import type { Component } from 'svelte';
import type { Playground } from '../state/playground.svelte.ts';
import type { LessonDesk } from './desk.svelte.ts';

/** What a lesson's component is given. */
export interface LessonProps {
  playground: Playground;
  desk: LessonDesk;
}

export interface Lesson {
  /** Stays the same for ever: what somebody has reached is kept under it. */
  id: string;
  title: string;
  /** About how long it takes, training included. */
  minutes: number;
  load: () => Promise<{ default: Component<LessonProps> }>;
}

export const LESSONS: readonly Lesson[] = [
  { id: 'team', title: 'A team of language models', minutes: 3, load: () => import('./content/Team.svelte') },
  { id: 'tokens', title: 'One long game of tokens', minutes: 3, load: () => import('./content/Tokens.svelte') },
  { id: 'hearing', title: 'Who hears whom', minutes: 4, load: () => import('./content/Hearing.svelte') },
  { id: 'critic', title: 'The critic', minutes: 3, load: () => import('./content/Critic.svelte') },
  { id: 'credit', title: 'Credit along the chain', minutes: 3, load: () => import('./content/Credit.svelte') },
  { id: 'clip', title: 'Small steps: the clip', minutes: 4, load: () => import('./content/Clip.svelte') },
  { id: 'turns', title: 'Agent by agent', minutes: 3, load: () => import('./content/Turns.svelte') },
  { id: 'independent', title: 'One chain, or each for itself', minutes: 5, load: () => import('./content/Independent.svelte') },
  { id: 'roles', title: 'Roles, or just numbers', minutes: 5, load: () => import('./content/Roles.svelte') },
];
