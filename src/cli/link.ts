/** Experiments as links, and links as experiments. */
import { applyOverrides } from '../experiment/overrides.ts';
import { decodeLink, encodeLink } from '../experiment/link/link.ts';
import { readArguments, UsageError } from './arguments.ts';
import { namedExperiment } from './named-experiment.ts';
import type { Command } from './terminal.ts';

const HELP = `Turn an experiment into a link, or a link into an experiment.

Usage: npm run --silent marft -- link encode <preset|file.json> [options]
       npm run --silent marft -- link decode <link> [--json]

A link holds only what differs from a preset, compressed, behind the # of the page's address: no server sees it.

Options:
  --set path=value    encode: change a field first, as often as you like.
  --address URL       encode: the page's address; without it only what follows the # is printed, the # included.
  --json              decode: print the whole experiment as JSON, which "run" takes as a file; otherwise what it changes.
  --help              Show this.

Exit codes: 0 done, 2 wrong arguments, or a link that is refused.
`;

export const LINK_COMMAND: Command = {
  name: 'link',
  summary: 'Turn an experiment into a link and back.',
  help: HELP,
  run(args, terminal) {
    const { positionals, values, lists, flags } = readArguments('link', args, { set: 'values', address: 'value', json: 'flag' });
    const [way, what, extra] = positionals;
    if (way !== 'encode' && way !== 'decode') throw new UsageError('"link" needs to know which way.', 'Write link encode <preset|file.json>, or link decode <link>.');
    if (what === undefined || extra !== undefined) throw new UsageError(`"link ${way}" takes one ${way === 'encode' ? 'experiment' : 'link'}.`, '"npm run --silent marft -- link --help" shows how.');
    if (way === 'encode') {
      const experiment = applyOverrides(namedExperiment(what), lists.get('set') ?? []);
      terminal.print(`${values.get('address') ?? ''}#${encodeLink(experiment)}\n`);
      return Promise.resolve(0);
    }
    const { experiment, preset, changes } = decodeLink(what);
    if (flags.has('json')) {
      terminal.print(`${JSON.stringify(experiment, null, 2)}\n`);
    } else {
      terminal.print(`${preset}, with these changes:\n`);
      for (const [path, value] of Object.entries(changes.set)) terminal.print(`  ${path}=${JSON.stringify(value)}\n`);
      for (const path of changes.dropped) terminal.print(`  without ${path}\n`);
    }
    return Promise.resolve(0);
  },
};
