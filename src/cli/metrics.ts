/** A run's metrics in formats that other programs read. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MetricRow } from '../marft/records.ts';
import { metricsCsv } from '../run-store/csv.ts';
import { EVENTS_FILE, tensorboardEvents } from '../run-store/tensorboard.ts';
import { PlaygroundError } from '../runtime/errors.ts';
import { readArguments, UsageError } from './arguments.ts';
import type { Command } from './terminal.ts';

const HELP = `Write a run's metrics in a format that other programs read; docs/algorithm.md says what each is.

Usage: npm run --silent marft -- metrics <run folder> --format csv|tensorboard [options]

Options:
  --format FORMAT     csv (for spreadsheets and pandas) or tensorboard (an event file).
  --out PATH          csv: the file; standard output unless given. tensorboard: the folder, to be given to
                      tensorboard --logdir; <run folder>/tensorboard unless given.
  --help              Show this.

Exit codes: 0 done, 1 failed, 2 wrong arguments.
`;

export const METRICS_COMMAND: Command = {
  name: 'metrics',
  summary: 'Write a run\'s metrics as CSV or for TensorBoard.',
  help: HELP,
  run(args, terminal) {
    const { positionals, values } = readArguments('metrics', args, { format: 'value', out: 'value' });
    const [folder, extra] = positionals;
    if (folder === undefined || extra !== undefined) throw new UsageError('"metrics" takes the folder of one run.', 'For example metrics runs/first --format csv.');
    const format = values.get('format');
    if (format !== 'csv' && format !== 'tensorboard') throw new UsageError(format === undefined ? '"metrics" needs --format.' : `There is no format "${format}".`, 'Choose csv or tensorboard.');
    const rows = readMetrics(join(folder, 'metrics.jsonl'));
    const out = values.get('out');
    if (format === 'csv' && out === undefined) {
      terminal.print(metricsCsv(rows));
      return Promise.resolve(0);
    }
    const path = format === 'csv' ? (out ?? '') : join(out ?? join(folder, 'tensorboard'), EVENTS_FILE);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, format === 'csv' ? metricsCsv(rows) : tensorboardEvents(rows));
    terminal.print(`Written to ${path}.\n`);
    return Promise.resolve(0);
  },
};

/** A run that was killed may leave half a line at the end, which is left out. */
function readMetrics(path: string): MetricRow[] {
  if (!existsSync(path)) throw new PlaygroundError('run-unreadable', `There is no ${path}.`, 'Give the folder of a run.');
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  try {
    return lines.map((line) => JSON.parse(line) as MetricRow);
  } catch (cause) {
    throw new PlaygroundError('run-unreadable', `${path} does not hold a line of JSON an iteration.`, 'Give the folder of a run as it was written.', { cause });
  }
}
