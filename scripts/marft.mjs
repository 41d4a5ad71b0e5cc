/**
 * `npm run marft`: starts the command line with fixed thresholds for the allocator. Activations come and go by the hundred each
 * iteration; left to adapt, glibc lets a run's memory wander by a third. The price is a few percent of the time. Other systems ignore
 * the variables.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Bytes from which an allocation is a mapping of its own, given back as soon as it is freed; and of free heap from which some is given back. */
const ALLOCATOR = JSON.parse(readFileSync(new URL('allocator.json', import.meta.url), 'utf8'));
const SIGNAL_EXIT = { SIGINT: 130, SIGTERM: 143 };

const main = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));
const child = spawn(process.execPath, ['--import', 'tsx', main, ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { ...ALLOCATOR, ...process.env },
});

// Ctrl-C reaches the child by itself, as both are in the terminal's group: here it must only not end the wait for it.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.on('close', (code, signal) => {
  process.exitCode = code ?? SIGNAL_EXIT[signal] ?? 1;
});
