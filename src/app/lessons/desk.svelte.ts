/** Where the lessons are worked at: what their words do to the page, and what has been reached. */
import type { Region } from '../logic/stages.ts';
import type { ChannelName } from '../logic/channels.ts';
import type { Playground } from '../state/playground.svelte.ts';
import { LESSONS } from './lessons.ts';
import { noteOf, type Note } from './notebook.ts';

const STORAGE_KEY = 'marft-lessons';
/** How long a part of the page stays marked after a word has pointed at it, in ms. */
const POINTING = 2500;

export class LessonDesk {
  readonly #playground: Playground;
  /** Index of the lesson on show. */
  current = $state(0);
  /** Lessons whose end state has been reached, by id. */
  reached = $state.raw<readonly string[]>(readReached());
  /** Finished runs since the page was opened. */
  notes = $state.raw<readonly Note[]>([]);
  /** What a word has just pointed at. */
  pointed = $state<Region | null>(null);
  #pointing: ReturnType<typeof setTimeout> | undefined;

  constructor(playground: Playground) {
    this.#playground = playground;
  }

  readonly lesson = $derived(LESSONS[this.current] ?? LESSONS[0]);

  /** Puts a preset into the controls, changed as `--set` would. What is trained meanwhile goes on until somebody resets it. */
  choose(preset: string, ...assignments: string[]): void {
    const { draft } = this.#playground;
    draft.choosePreset(preset);
    draft.assign(...assignments);
  }

  /** Drops the run on the page and trains a fresh one. */
  async run(preset: string, ...assignments: string[]): Promise<void> {
    this.choose(preset, ...assignments);
    await this.#playground.reset();
    this.point('charts');
    if (this.#playground.status === 'open') await this.#playground.train();
  }

  /** A fresh run's first iteration. */
  async playOnce(preset: string, ...assignments: string[]): Promise<void> {
    this.choose(preset, ...assignments);
    await this.#playground.reset();
    this.point('transcripts');
    if (this.#playground.status === 'open') await this.#playground.stepOne();
  }

  /** Marks a part of the page for a moment and brings it into view. */
  point(region: Region, channel?: ChannelName): void {
    if (channel) this.#playground.reading.channel = channel;
    this.pointed = region;
    document.querySelector(`[data-region="${region}"]`)?.scrollIntoView({ block: 'nearest' });
    clearTimeout(this.#pointing);
    this.#pointing = setTimeout(() => (this.pointed = null), POINTING);
  }

  reach(id: string): void {
    if (this.reached.includes(id)) return;
    this.reached = [...this.reached, id];
    try {
      localStorage.setItem(STORAGE_KEY, JSON.stringify(this.reached));
    } catch {
      // Nothing can be kept here; it counts until the page is closed.
    }
  }

  /** Notes the run on the page, which has just come to its end. */
  note(): void {
    const { experiment, rows } = this.#playground.run;
    const note = experiment && noteOf(experiment, rows);
    if (note) this.notes = [...this.notes, note];
  }
}

/** Lessons that this browser remembers, those that there still are. */
function readReached(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '[]');
    return LESSONS.map(({ id }) => id).filter((id) => Array.isArray(kept) && kept.includes(id));
  } catch {
    return [];
  }
}
