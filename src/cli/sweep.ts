/** Runs every arm of a sweep with every seed, and says what the seeds together say. */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { NAMED_SWEEPS, SWEEP_NAMES, sweepByName } from '../experiment/named-sweeps.ts';
import type { RunOutcome, SweepResults } from '../experiment/sweep-results.ts';
import { parseSweep, type Sweep } from '../experiment/sweep.ts';
import { readArguments, UsageError, wholeNumber, type Arguments } from './arguments.ts';
import { BACKEND_KINDS, backendOf } from './backend-kinds.ts';
import { conductSweep, type Shard } from './conduct-sweep.ts';
import { readDocument } from './named-experiment.ts';
import { duration } from './progress.ts';
import { RunPool } from './run-pool.ts';
import { RunProcesses } from './run-process.ts';
import { sweepTable } from './sweep-table.ts';
import type { Command, InterruptSignal } from './terminal.ts';

const RESULTS = 'sweep.json';
const EXIT_CODES: Record<InterruptSignal, number> = { SIGINT: 130, SIGTERM: 143 };

const HELP = `Run every arm of a sweep with every seed, and compare the arms.

Usage: npm run --silent marft -- sweep <name|file.json> [options]

Sweeps:
${NAMED_SWEEPS.map(({ name, arms }) => `  ${name}: ${arms.map((arm) => arm.name).join('; ')}`).join('\n')}

A file holds the same document: "npm run --silent marft -- sweep paper/ippo --print" shows one to start from.

Options:
  --seeds N|LIST      The seeds 1 to N, or the ones listed: 3,4,9. A single seed s is written s, with a comma.
  --jobs N            Runs at the same time; as many as the processor has cores unless given.
  --shard I/N         Only part I of N, to share the work among machines; "merge" puts the parts together.
  --set path=value    Change a field of every arm, as often as you like.
  --backend KIND      ${BACKEND_KINDS.join(' or ')}; cpu unless given.
  --out DIR           Folder for ${RESULTS}; runs/sweeps/<name> unless given.
  --runs DIR          Folder for the runs, shared by all sweeps; runs/shared unless given.
  --json              Print the results as JSON; progress goes to standard error.
  --print             Print the sweep's document and run nothing.
  --help              Show this.

Runs that are complete in --runs already are not repeated: call it again to go on. Where a sweep tunes, every arm first
tries the same learning rates on seeds of their own, and runs with its best by mean final sampled reward.

Written to DIR/${RESULTS}, after every run: each run's final reward (sampled and greedy), area under the curve, best five
iterations and whether it collapsed; per arm the mean and the 95 % bootstrap interval over seeds, and the probability that
it is better than the arm it is compared with (paired bootstrap, 10,000 resamples). A run has collapsed when it ends 0.05
below the untrained team, or its last five iterations below half of its best five.

Exit codes: 0 all runs came to an end, 1 some failed (the table counts them), 2 wrong arguments, 130 interrupted.
`;

export const SWEEP_COMMAND: Command = {
  name: 'sweep',
  summary: 'Compare experiments over several seeds.',
  help: HELP,
  async run(args, terminal) {
    const given = readArguments('sweep', args, {
      seeds: 'value',
      jobs: 'value',
      shard: 'value',
      set: 'values',
      backend: 'value',
      out: 'value',
      runs: 'value',
      json: 'flag',
      print: 'flag',
    });
    const sweep = sweepOf(given);
    const jobs = wholeNumber(given, 'jobs') ?? availableParallelism();
    if (jobs < 1) throw new UsageError('At least one run must go on at a time.', 'For example --jobs 2.');
    const shard = shardOf(given);
    const backend = backendOf(given);
    if (given.flags.has('print')) {
      terminal.print(`${JSON.stringify(sweep, null, 2)}\n`);
      return 0;
    }
    const out = given.values.get('out') ?? resolve('runs', 'sweeps', sweep.name.replace('/', '-'));
    const pool = new RunPool(given.values.get('runs') ?? resolve('runs', 'shared'), backend);
    const processes = new RunProcesses();
    const notes = given.flags.has('json') ? (text: string): void => terminal.complain(text) : (text: string): void => terminal.print(text);
    const progress = new SweepProgress(notes, jobs);
    let interrupted: InterruptSignal | null = null;
    const stopListening = terminal.onInterrupt((signal) => {
      interrupted ??= signal;
      processes.stop();
    });
    try {
      const results = await conductSweep({
        sweep,
        jobs,
        shard,
        find: (experiment) => pool.find(experiment),
        launch: async (experiment) => {
          const file = pool.prepare(experiment);
          const reason = await processes.run([file, '--out', pool.folder(experiment), '--backend', backend]);
          return reason === null ? (pool.find(experiment) ?? { reason: 'The run left no result.' }) : { reason };
        },
        stopped: () => interrupted !== null,
        tell: (outcome, { ran, left, results: soFar }) => {
          progress.tell(outcome, ran, left);
          writeResults(out, soFar);
        },
      });
      writeResults(out, results);
      terminal.print(given.flags.has('json') ? `${JSON.stringify(results)}\n` : `\n${sweepTable(results)}\nEverything is in ${join(out, RESULTS)}.\n`);
      return interrupted !== null ? EXIT_CODES[interrupted] : results.runs.some(({ status }) => status === 'failed') ? 1 : 0;
    } finally {
      stopListening();
    }
  },
};

/** Writes a sweep's results into a folder, whole. */
export function writeResults(folder: string, results: SweepResults): void {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, RESULTS);
  writeFileSync(`${path}.tmp`, `${JSON.stringify(results, null, 1)}\n`);
  renameSync(`${path}.tmp`, path);
}

/** The results that a folder holds. */
export function readResults(folder: string): unknown {
  return readDocument(join(folder, RESULTS));
}

/** A line a run, with the time left as the runs so far let expect. */
class SweepProgress {
  #ran = 0;
  readonly #started = performance.now();

  constructor(
    private readonly print: (text: string) => void,
    private readonly jobs: number,
  ) {}

  tell(outcome: RunOutcome, ran: boolean, left: number): void {
    if (ran) this.#ran += 1;
    const { arm, seed, learningRate } = outcome;
    const what = outcome.status === 'done' ? `${outcome.summary.sampled.toFixed(3)} (greedy ${outcome.summary.greedy.toFixed(3)})${outcome.summary.collapsed ? ', collapsed' : ''}` : `failed: ${outcome.reason}`;
    const pace = (performance.now() - this.#started) / 1000 / Math.max(this.jobs, this.#ran);
    const time = this.#ran === 0 || left === 0 ? '' : `, ${duration(pace * left)}`;
    this.print(`${arm}, rate ${learningRate}, seed ${seed}: ${what}${ran ? '' : ', known already'}; ${left} left${time}\n`);
  }
}

function sweepOf(given: Arguments): Sweep {
  const [source, extra] = given.positionals;
  if (source === undefined) throw new UsageError('"sweep" needs a name or a file.', `Sweeps: ${SWEEP_NAMES.join(', ')}.`);
  if (extra !== undefined) throw new UsageError(`"sweep" takes one sweep, but was given "${extra}" as well.`, 'Run them one after the other.');
  // Names of sweeps have a slash too, but no dot; a file's name ends in .json.
  const sweep = /[.\\]/.test(source) ? parseSweep(readDocument(source)) : sweepByName(source);
  return parseSweep({ ...sweep, set: [...sweep.set, ...(given.lists.get('set') ?? [])], seeds: seedsOf(given) ?? sweep.seeds });
}

function seedsOf({ values }: Arguments): number[] | undefined {
  const text = values.get('seeds');
  if (text === undefined) return undefined;
  if (/^\d{1,4}$/.test(text) && Number(text) > 0) return Array.from({ length: Number(text) }, (_, k) => k + 1);
  if (/^\d{1,10}(?:,\d{1,10})*,?$/.test(text) && text.includes(',')) return [...new Set(text.split(',').filter((one) => one !== '').map(Number))];
  throw new UsageError(`"${text}" is no number of seeds and no list of them.`, 'Write --seeds 5, or --seeds 3,4,9.');
}

function shardOf({ values }: Arguments): Shard {
  const text = values.get('shard');
  if (text === undefined) return { index: 1, count: 1 };
  const [, index, count] = /^(\d{1,4})\/(\d{1,4})$/.exec(text)?.map(Number) ?? [];
  if (index === undefined || count === undefined || index < 1 || index > count) throw new UsageError(`"${text}" is no part of a whole.`, 'Write --shard 1/4 to --shard 4/4.');
  return { index, count };
}
