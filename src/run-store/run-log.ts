/** Metrics and transcripts of a run beside its checkpoints, in files that stay small however long the run. */
import type { EpisodeRecord, MetricRow } from '../marft/records.ts';
import type { RunFiles } from './run-files.ts';

/** Rows of one file: it is written anew with every row. */
const ROWS_PER_FILE = 50;

const METRICS = /^metrics-\d+\.json$/;
const TRANSCRIPTS = /^transcripts-(\d+)\.json$/;

export interface Logged {
  rows: MetricRow[];
  /** Of the iterations whose transcripts were kept, in order. */
  episodes: EpisodeRecord[];
}

export class RunLog {
  /** Of the file that is being filled. */
  #rows: MetricRow[] = [];

  constructor(private readonly files: RunFiles) {}

  async add(row: MetricRow, episodes: readonly EpisodeRecord[]): Promise<void> {
    const file = fileOf(row.iteration);
    this.#rows = [...this.#rows.filter(({ iteration }) => fileOf(iteration) === file), row];
    await this.#write(file, this.#rows);
    await this.#write(`transcripts-${row.iteration}.json`, episodes);
  }

  /** A whole run at once. */
  async addAll(rows: readonly MetricRow[], episodes: readonly EpisodeRecord[]): Promise<void> {
    for (const file of new Set(rows.map(({ iteration }) => fileOf(iteration)))) {
      await this.#write(file, rows.filter(({ iteration }) => fileOf(iteration) === file));
    }
    for (const iteration of new Set(episodes.map((one) => one.iteration))) {
      await this.#write(`transcripts-${iteration}.json`, episodes.filter((one) => one.iteration === iteration));
    }
  }

  /** Forgets the transcripts of all but these iterations. */
  async keepTranscripts(iterations: readonly number[]): Promise<void> {
    for (const name of await this.files.list()) {
      const iteration = TRANSCRIPTS.exec(name)?.[1];
      if (iteration !== undefined && !iterations.includes(Number(iteration))) await this.files.remove(name);
    }
  }

  /** All up to that iteration; what is added next comes after it. */
  async readUntil(last: number): Promise<Logged> {
    const names = await this.files.list();
    const rows: MetricRow[] = [];
    for (const name of names.filter((one) => METRICS.test(one))) rows.push(...(await this.#read<MetricRow>(name)));
    const until = rows.filter(({ iteration }) => iteration <= last).sort((a, b) => a.iteration - b.iteration);
    this.#rows = until.filter(({ iteration }) => fileOf(iteration) === fileOf(until.at(-1)?.iteration ?? 0));
    const iterations = names.flatMap((name) => TRANSCRIPTS.exec(name)?.[1] ?? []).map(Number).filter((iteration) => iteration <= last);
    const episodes: EpisodeRecord[] = [];
    for (const iteration of iterations.sort((a, b) => a - b)) episodes.push(...(await this.#read<EpisodeRecord>(`transcripts-${iteration}.json`)));
    return { rows: until, episodes };
  }

  #write(name: string, lines: readonly object[]): Promise<void> {
    return this.files.write(name, new TextEncoder().encode(JSON.stringify(lines)));
  }

  /** Written by this page for itself; a file that was cut is worth no more than the curves that it would have drawn. */
  async #read<T>(name: string): Promise<T[]> {
    try {
      const lines: unknown = JSON.parse(new TextDecoder().decode((await this.files.read(name)) ?? undefined));
      return Array.isArray(lines) ? (lines as T[]) : [];
    } catch (error) {
      if (error instanceof SyntaxError) return [];
      throw error;
    }
  }
}

function fileOf(iteration: number): string {
  return `metrics-${Math.floor(iteration / ROWS_PER_FILE)}.json`;
}
