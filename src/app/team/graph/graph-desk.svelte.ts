/** What is being done in the graph: an arrow that is being drawn by keyboard, and what the nodes may ask for. */
import { tick } from 'svelte';
import { dependencyMatrix } from '../../../marft/game.ts';
import type { DraftStore } from '../../state/draft.svelte.ts';

export class GraphDesk {
  /** The agent that an arrow is being drawn from by keyboard. */
  from = $state<number | null>(null);
  /** What has just happened, for screen readers. */
  news = $state('');
  /** The element around the graph. */
  host: HTMLElement | null = null;

  constructor(
    readonly draft: DraftStore,
    /** Opens an agent's settings. */
    readonly inspect: (agent: number) => void,
  ) {}

  nameOf(agent: number): string {
    return this.draft.experiment.team.agents[agent]?.name ?? '';
  }

  hears(from: number, to: number): boolean {
    const { dependency, agents } = this.draft.experiment.team;
    return dependencyMatrix(dependency, agents.length)[from]?.[to] === true;
  }

  /** Draws the arrow; one that cannot be played is refused in the draft. */
  draw(from: number, to: number): void {
    if (this.hears(from, to)) {
      this.news = `${this.nameOf(to)} hears ${this.nameOf(from)} already.`;
      return;
    }
    this.draft.toggleArrow(from, to);
    const { refusal } = this.draft;
    this.news = refusal ? '' : `${this.nameOf(to)} now hears ${this.nameOf(from)}.`;
  }

  cut(from: number, to: number): void {
    if (!this.hears(from, to)) return;
    this.draft.toggleArrow(from, to);
    this.news = this.draft.refusal ? '' : `${this.nameOf(to)} no longer hears ${this.nameOf(from)}.`;
  }

  /** Enter on an agent's dot: the others' upper dots can be reached now. */
  async begin(from: number): Promise<void> {
    this.from = from;
    this.news = `Arrow from ${this.nameOf(from)}: go to the agent that shall hear it and press Enter; Escape stops.`;
    await tick();
    this.host?.querySelector<HTMLElement>('[data-hear][tabindex="0"]')?.focus();
  }

  /** Enter on an upper dot. */
  end(to: number): void {
    const { from } = this;
    if (from === null) return;
    this.draw(from, to);
    this.stop();
  }

  /** Back to the dot that the arrow was begun at. */
  stop(): void {
    const { from } = this;
    this.from = null;
    if (from !== null) this.host?.querySelector<HTMLElement>(`[data-tell="${from}"]`)?.focus();
  }
}
