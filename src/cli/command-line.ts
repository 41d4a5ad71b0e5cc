/** The command line as a function of its arguments: which command, and which exit code comes of it. */
import { nearestNames } from '../experiment/schema-tree.ts';
import { PlaygroundError } from '../runtime/errors.ts';
import { UsageError } from './arguments.ts';
import { CHAT_COMMAND } from './chat.ts';
import { EVAL_COMMAND } from './eval.ts';
import { EXPORT_COMMAND } from './export.ts';
import { LINK_COMMAND } from './link.ts';
import { MERGE_COMMAND } from './merge.ts';
import { METRICS_COMMAND } from './metrics.ts';
import { PRESETS_COMMAND } from './presets.ts';
import { REPORT_COMMAND } from './report.ts';
import { RUN_COMMAND } from './run.ts';
import { SCORE_COMMAND } from './score.ts';
import { SWEEP_COMMAND } from './sweep.ts';
import type { Command, Terminal } from './terminal.ts';

const COMMANDS: readonly Command[] = [
  RUN_COMMAND,
  EVAL_COMMAND,
  CHAT_COMMAND,
  SWEEP_COMMAND,
  MERGE_COMMAND,
  REPORT_COMMAND,
  PRESETS_COMMAND,
  LINK_COMMAND,
  METRICS_COMMAND,
  SCORE_COMMAND,
  EXPORT_COMMAND,
];

/** Wrong arguments, or an experiment that cannot be; anything else that fails is 1. */
const EXIT_USAGE = 2;

/** Codes of errors that are about what was asked for, not about what happened while doing it. */
const USAGE_CODES = /^(usage|experiment-|override-|preset-|task-|team-|algorithm-|sweep-|link-|hub-id$|hub-endpoint$)/;

const HELP = `Train a team of small language models by reinforcement learning.

Usage: npm run --silent marft -- <command> [options]

Commands:
${COMMANDS.map(({ name, summary }) => `  ${name.padEnd(10)}${summary}`).join('\n')}

"npm run --silent marft -- <command> --help" explains a command.
Exit codes: 0 done, 1 failed, 2 wrong arguments or experiment, 130 interrupted.
`;

/** Runs one command and returns its exit code. Errors are told in a sentence each, never as a stack. */
export async function commandLine(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const [name, ...rest] = args;
    if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
      terminal.print(HELP);
      return name === undefined ? EXIT_USAGE : 0;
    }
    const command = COMMANDS.find((one) => one.name === name);
    if (!command) throw unknownCommand(name);
    if (rest.includes('--help') || rest.includes('-h')) {
      terminal.print(command.help);
      return 0;
    }
    return await command.run(rest, terminal);
  } catch (error) {
    terminal.complain(explain(error));
    return error instanceof PlaygroundError && USAGE_CODES.test(error.code) ? EXIT_USAGE : 1;
  }
}

function unknownCommand(name: string): UsageError {
  const names = COMMANDS.map((command) => command.name);
  const near = nearestNames(name, names);
  return new UsageError(
    name.startsWith('-') ? `The first argument must be a command, not ${name}.` : `There is no command "${name}".`,
    near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `There are: ${names.join(', ')}.`,
  );
}

function explain(error: unknown): string {
  if (error instanceof PlaygroundError) return `${error.message} ${error.hint}\n`;
  // Not foreseen, so whoever mends it needs to see where it came from.
  return `Something went wrong that should not: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`;
}
