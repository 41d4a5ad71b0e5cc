/** Puts the shards of a sweep together. */
import { mergeResults, parseResults } from '../experiment/sweep-results.ts';
import { readArguments, UsageError } from './arguments.ts';
import { readResults, writeResults } from './sweep.ts';
import { sweepTable } from './sweep-table.ts';
import type { Command, Terminal } from './terminal.ts';

const HELP = `Put the shards of a sweep together, as if it had run on one machine.

Usage: npm run --silent marft -- merge DIR… --out DIR [--json]

Options:
  --out DIR    Folder for the whole sweep.json.
  --json       Print the results as JSON.
  --help       Show this.
`;

export const MERGE_COMMAND: Command = {
  name: 'merge',
  summary: 'Put the shards of a sweep together.',
  help: HELP,
  run(args, terminal: Terminal) {
    const { positionals, values, flags } = readArguments('merge', args, { out: 'value', json: 'flag' });
    const out = values.get('out');
    if (positionals.length === 0) throw new UsageError('"merge" needs the folders of the shards.', 'Give the folders that "sweep --shard --out" wrote.');
    if (out === undefined) throw new UsageError('"merge" needs --out.', 'Name a folder for the whole.');
    const results = mergeResults(positionals.map((folder) => parseResults(readResults(folder))));
    writeResults(out, results);
    terminal.print(flags.has('json') ? `${JSON.stringify(results)}\n` : sweepTable(results));
    return Promise.resolve(0);
  },
};
