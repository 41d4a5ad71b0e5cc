/**
 * `npm run marft`: starts the command line with the allocator told to hand large buffers back to the system when they are freed. Activations
 * come and go by the hundred each iteration, and glibc would otherwise keep them in a heap whose size wanders by a sixth; other
 * systems ignore the variable.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Bytes from which an allocation is a mapping of its own. */
const LARGE_BUFFER_BYTES = 1024 * 1024;
const SIGNAL_EXIT = { SIGINT: 130, SIGTERM: 143 };

const main = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));
const child = spawn(process.execPath, ['--import', 'tsx', main, ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { MALLOC_MMAP_THRESHOLD_: String(LARGE_BUFFER_BYTES), ...process.env },
});

// Ctrl-C reaches the child by itself, as both are in the terminal's group: here it must only not end the wait for it.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.on('close', (code, signal) => {
  process.exitCode = code ?? SIGNAL_EXIT[signal] ?? 1;
});
