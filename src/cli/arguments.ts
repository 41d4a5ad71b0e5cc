/** Reading a command's arguments: what is wrong with them is said in a sentence. */
import { parseArgs } from 'node:util';
import { nearestNames } from '../experiment/schema-tree.ts';
import { PlaygroundError } from '../runtime/errors.ts';

/** A command was called in a way it cannot be; the exit code is then 2. */
export class UsageError extends PlaygroundError {
  constructor(message: string, hint: string) {
    super('usage', message, hint);
    this.name = 'UsageError';
  }
}

/** What an option takes: nothing, one value, or one value each time it is given. */
export type OptionKind = 'flag' | 'value' | 'values';

export interface Arguments {
  positionals: string[];
  flags: Set<string>;
  values: Map<string, string>;
  lists: Map<string, string[]>;
}

/** Sorts the arguments by `options` (names without dashes). Throws a UsageError for anything else among them. */
export function readArguments(command: string, given: readonly string[], options: Record<string, OptionKind>): Arguments {
  const config = Object.entries(options).map(([name, kind]) => [name, { type: kind === 'flag' ? 'boolean' : 'string' }] as const);
  // Strict parsing throws sentences about this program's source; the tokens say the same without them.
  const { tokens } = parseArgs({ args: [...given], options: Object.fromEntries(config), strict: false, allowPositionals: true, tokens: true });
  const read: Arguments = { positionals: [], flags: new Set(), values: new Map(), lists: new Map() };
  const help = `"npm run --silent marft -- ${command} --help" lists all options.`;

  for (const token of tokens) {
    if (token.kind === 'positional') read.positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const { name, rawName, value } = token;
    const kind = Object.hasOwn(options, name) ? options[name] : undefined;
    if (kind === undefined) {
      const near = nearestNames(name, Object.keys(options)).map((one) => `--${one}`);
      throw new UsageError(`"${command}" has no option ${rawName}.`, near.length > 0 ? `Did you mean ${near.join(' or ')}?` : help);
    }
    if (kind === 'flag') {
      if (value !== undefined) throw new UsageError(`The option ${rawName} takes no value.`, help);
      read.flags.add(name);
    } else if (value === undefined || (!token.inlineValue && value.startsWith('--'))) {
      throw new UsageError(`The option ${rawName} needs a value.`, help);
    } else if (kind === 'values') {
      read.lists.set(name, [...(read.lists.get(name) ?? []), value]);
    } else {
      if (read.values.has(name)) throw new UsageError(`The option ${rawName} is given twice.`, 'Give it once.');
      read.values.set(name, value);
    }
  }
  return read;
}

/** The whole number that an option was given; undefined when it was not. Its bounds are the schema's to check. */
export function wholeNumber({ values }: Arguments, name: string): number | undefined {
  const text = values.get(name);
  if (text === undefined) return undefined;
  if (!/^-?\d{1,15}$/.test(text)) throw new UsageError(`The option --${name} needs a whole number, not "${text}".`, `For example --${name} 3.`);
  return Number(text);
}
