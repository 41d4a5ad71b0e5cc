/** Calls the command line as a function, and keeps what it printed. */
import { commandLine } from '../../../src/cli/command-line.ts';

export async function marft(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  let out = '';
  let err = '';
  const code = await commandLine(args, {
    print: (text) => void (out += text),
    complain: (text) => void (err += text),
    interactive: false,
    onInterrupt: () => () => undefined,
  });
  return { code, out, err };
}
