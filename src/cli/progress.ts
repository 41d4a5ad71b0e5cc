/** What a run tells the terminal while it goes on. */
import type { Evaluation, MetricRow, TrainerEvent } from '../marft/records.ts';
import type { Terminal } from './terminal.ts';

/** The time left is reckoned from this many of the latest iterations. */
const PACE_WINDOW = 10;

export class Progress {
  readonly #finishedAt: number[] = [];
  #iteration = 0;
  #evaluation: Evaluation | null = null;

  /** `now` in seconds, from any fixed moment. */
  constructor(
    private readonly terminal: Terminal,
    private readonly iterations: number,
    private readonly now: () => number,
  ) {}

  /** One line an iteration; where lines can be overwritten, also what is being done right now. */
  tell(event: TrainerEvent): void {
    switch (event.type) {
      case 'loading':
        return this.#passing(event.message);
      case 'ready':
        return this.#line(`Backend: ${event.backend.label}. ${event.backend.reason}`);
      case 'stage':
        if (this.#finishedAt.length === 0) this.#finishedAt.push(this.now());
        return this.#passing(`iteration ${event.iteration}/${this.iterations}  ${STAGE_WORDS[event.stage]}${event.agent === undefined ? '' : ` ${event.agent}`} …`);
      case 'evaluation':
        this.#evaluation = event.evaluation;
        return;
      case 'iteration':
        return this.#finishedIteration(event.metrics);
      case 'notice':
        return this.#line(event.message);
      case 'paused':
      case 'finished':
        return;
    }
  }

  /** A full line that stays. */
  note(text: string): void {
    this.#line(text);
  }

  /** A line that the next one replaces; shown only where lines can be overwritten. */
  passing(text: string): void {
    this.#passing(text);
  }

  /** Takes a passing line away, so that what is printed next starts on an empty one. */
  settle(): void {
    this.#passing('');
  }

  #finishedIteration(metrics: MetricRow): void {
    this.#iteration = metrics.iteration;
    this.#finishedAt.push(this.now());
    this.#finishedAt.splice(0, this.#finishedAt.length - PACE_WINDOW - 1);
    const width = String(this.iterations).length;
    const evaluation = this.#evaluation === null ? '' : `  held-out ${scores(this.#evaluation)}`;
    this.#evaluation = null;
    const left = this.#secondsLeft();
    this.#line(
      `iteration ${String(metrics.iteration).padStart(width)}/${this.iterations}  reward ${fixed(metrics['reward/mean'])}` +
        `${evaluation}${left === null ? '' : `  ${duration(left)} left`}`,
    );
  }

  #secondsLeft(): number | null {
    const first = this.#finishedAt[0];
    const last = this.#finishedAt.at(-1);
    if (first === undefined || last === undefined || this.#finishedAt.length < 2) return null;
    return ((last - first) / (this.#finishedAt.length - 1)) * (this.iterations - this.#iteration);
  }

  #line(text: string): void {
    this.terminal.print(`${this.terminal.interactive ? ERASE_LINE : ''}${text}\n`);
  }

  #passing(text: string): void {
    if (this.terminal.interactive) this.terminal.print(`${ERASE_LINE}${text}`);
  }
}

/** To the start of the line, and clear what is on it. */
const ERASE_LINE = '\r\u001b[2K';

const STAGE_WORDS: Record<Extract<TrainerEvent, { type: 'stage' }>['stage'], string> = {
  rollout: 'playing',
  reward: 'judging',
  score: 'scoring tokens',
  values: 'valuing tokens',
  credit: 'assigning credit',
  update: 'updating',
  critic: 'fitting the critic',
  evaluate: 'evaluating',
};

/** Both mean rewards of an evaluation. */
export function scores({ sampled, greedy }: Evaluation): string {
  return `${fixed(sampled)} (greedy ${fixed(greedy)})`;
}

/** Seconds as people say them: `40 s`, `3 min 05 s`, `2 h 10 min`. */
export function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  const [minutes, rest] = [Math.floor(whole / 60), whole % 60];
  if (minutes < 60) return `${minutes} min ${String(rest).padStart(2, '0')} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}

function fixed(value: number | undefined): string {
  return value === undefined ? 'unknown' : value.toFixed(3);
}
