/** Finished runs in a folder, kept by what they are: whoever asks for the same experiment again gets what came of it. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { modelChoice } from '../experiment/model.ts';
import type { Experiment } from '../experiment/schema.ts';
import { summarize, type RunOutcome } from '../experiment/sweep-results.ts';
import { identityOf } from '../experiment/sweep.ts';
import type { MetricRow } from '../marft/records.ts';
import type { CommandLineBackend } from './backend-kinds.ts';
import type { RunResult } from './result.ts';

const WEIGHTS = fileURLToPath(new URL('../../public/models/', import.meta.url));

/** What came of a run, without who asked for it. */
export type Finished = Pick<Extract<RunOutcome, { status: 'done' }>, 'rewards' | 'summary'>;

export class RunPool {
  readonly #fingerprints = new Map<string, string>();

  constructor(
    private readonly path: string,
    private readonly backend: CommandLineBackend,
  ) {}

  /** The folder that an experiment's run has, and no other run: its name says which seed, and the rest by a hash. */
  folder(experiment: Experiment): string {
    const identity = `${identityOf(experiment)} ${this.backend} ${this.#fingerprint(experiment.model)}`;
    const hash = createHash('sha256').update(identity).digest('hex').slice(0, 16);
    const name = experiment.name.toLowerCase().replace(/[^a-z0-9]+/g, '-').slice(0, 40);
    return join(this.path, `${name}-seed${experiment.seed}-${hash}`);
  }

  /** What came of the experiment; null when it has not run to its end. */
  find(experiment: Experiment): Finished | null {
    const folder = this.folder(experiment);
    if (!existsSync(join(folder, 'result.json'))) return null;
    const result = JSON.parse(readFileSync(join(folder, 'result.json'), 'utf8')) as RunResult;
    const rows = readFileSync(join(folder, 'metrics.jsonl'), 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line) as MetricRow);
    if (rows.length !== experiment.schedule.iterations) return null;
    const rewards = rows.map((row) => row['reward/mean'] ?? Number.NaN);
    const { eval_trained: sampled, eval_trained_greedy: greedy, eval_base: baseSampled, eval_base_greedy: baseGreedy } = result;
    return { rewards, summary: summarize(rewards, { sampled, greedy, baseSampled, baseGreedy }) };
  }

  /** Writes the experiment where its run shall read it, and returns the file. */
  prepare(experiment: Experiment): string {
    const folder = this.folder(experiment);
    mkdirSync(folder, { recursive: true });
    const file = join(folder, 'experiment.json');
    writeFileSync(file, `${JSON.stringify(experiment, null, 2)}\n`);
    return file;
  }

  /** An embedded model can be trained anew under its old name; runs on the former one are then of no use. */
  #fingerprint(model: string): string {
    const known = this.#fingerprints.get(model);
    if (known !== undefined) return known;
    const choice = modelChoice(model);
    const fingerprint =
      choice.kind === 'embedded' ? createHash('sha256').update(readFileSync(join(WEIGHTS, choice.name, 'model.safetensors'))).digest('hex') : model;
    this.#fingerprints.set(model, fingerprint);
    return fingerprint;
  }
}
