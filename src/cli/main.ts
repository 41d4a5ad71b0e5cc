/** Entry point of `npm run --silent marft`. */
import { commandLine } from './command-line.ts';
import type { InterruptSignal, Terminal } from './terminal.ts';

const terminal: Terminal = {
  print: (text) => void process.stdout.write(text),
  complain: (text) => void process.stderr.write(text),
  interactive: process.stdout.isTTY === true,
  onInterrupt(callback) {
    const signals: readonly InterruptSignal[] = ['SIGINT', 'SIGTERM'];
    for (const signal of signals) process.on(signal, callback);
    return () => {
      for (const signal of signals) process.off(signal, callback);
    };
  },
};

process.exitCode = await commandLine(process.argv.slice(2), terminal);
