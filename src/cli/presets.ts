import { PRESETS } from '../experiment/presets.ts';
import { readArguments, UsageError } from './arguments.ts';
import type { Command } from './terminal.ts';

const HELP = `List the experiments that are ready to run.

Usage: npm run --silent marft -- presets [--json]

Options:
  --json    Print the whole experiments, every field with its value: start from one of them to write your own.
  --help    Show this.
`;

export const PRESETS_COMMAND: Command = {
  name: 'presets',
  summary: 'List the experiments that are ready to run.',
  help: HELP,
  run(args, terminal) {
    const { positionals, flags } = readArguments('presets', args, { json: 'flag' });
    const [extra] = positionals;
    if (extra !== undefined) throw new UsageError(`"presets" takes no argument, but was given "${extra}".`, 'To run a preset: run <preset>.');
    if (flags.has('json')) {
      terminal.print(`${JSON.stringify(Object.fromEntries(PRESETS.map(({ name, experiment }) => [name, experiment])), null, 2)}\n`);
    } else {
      for (const { name, title, description } of PRESETS) terminal.print(`${name}\n  ${title}. ${description}\n`);
    }
    return Promise.resolve(0);
  },
};
