/**
 * `npm run bench -- [NAME…] [--repetitions N] [--out DIR] [--python PATH] [--scratch DIR]`: measures, prints tables and saves them as DIR/NAME.json.
 * No part of the tests: times depend on the machine, and only what is measured in one run can be compared.
 */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Bench } from './bench.ts';
import { GENERATION_BENCH } from './generation.ts';
import { PRECISION_BENCH } from './precision.ts';
import { PYTORCH_BENCH } from './pytorch.ts';
import { markdown, save } from './report.ts';
import { SCALING_BENCH } from './scaling.ts';
import { TRAINING_BENCH } from './training.ts';

/** In the order in which they run when none is named. */
const BENCHES: readonly Bench[] = [GENERATION_BENCH, TRAINING_BENCH, PYTORCH_BENCH, SCALING_BENCH, PRECISION_BENCH];

const RESULTS = fileURLToPath(new URL('./results', import.meta.url));
const DEFAULT_REPETITIONS = 7;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    repetitions: { type: 'string', default: String(DEFAULT_REPETITIONS) },
    out: { type: 'string', default: RESULTS },
    python: { type: 'string' },
    scratch: { type: 'string', default: join(tmpdir(), 'marft-bench') },
  },
});
const repetitions = Number(values.repetitions);
const unknown = positionals.filter((name) => !BENCHES.some((bench) => bench.name === name));
if (unknown.length > 0 || !Number.isInteger(repetitions) || repetitions < 1) {
  const list = BENCHES.map(({ name, summary }) => `  ${name.padEnd(16)}${summary}`).join('\n');
  process.stderr.write(`Usage: npm run bench -- [NAME…] [--repetitions N] [--out DIR] [--python PATH] [--scratch DIR]\n\n${list}\n`);
  process.exit(2);
}
for (const bench of BENCHES.filter(({ name }) => positionals.length === 0 || positionals.includes(name))) {
  const { python, scratch } = values;
  if (bench.needsPython === true && python === undefined) {
    process.stdout.write(`${bench.name} is left out: it takes --python PATH.\n\n`);
    continue;
  }
  const tables = await bench.run({ repetitions, python, scratch });
  for (const table of tables) process.stdout.write(`${markdown(table)}\n`);
  process.stdout.write(`Saved to ${await save(values.out, bench, repetitions, tables)}.\n\n`);
}
