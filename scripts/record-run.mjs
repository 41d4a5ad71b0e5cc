/**
 * Makes the run that the page shows before anything is trained, from a folder that the command line wrote:
 *
 *   npm run --silent marft -- run duo-addition --out runs/recorded
 *   node scripts/record-run.mjs runs/recorded [public/recorded/duo-addition.json]
 *
 * All metrics are kept; of the transcripts a few iterations, evenly spread, so that the page stays quick to open.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const ITERATIONS_KEPT = 7;
const EPISODES_KEPT = 32;

/** Digits of a token's numbers; the page shows three decimals. */
const DIGITS = 5;

const [folder, target = path.join(import.meta.dirname, '../public/recorded/duo-addition.json')] = process.argv.slice(2);
if (folder === undefined) {
  console.error('Usage: node scripts/record-run.mjs FOLDER [FILE]');
  process.exit(1);
}

const readText = (name) => readFileSync(path.join(folder, name), 'utf8');
const readLines = (name) => readText(name).trim().split('\n').map((line) => JSON.parse(line));

const experiment = JSON.parse(readText('experiment.json'));
const result = JSON.parse(readText('result.json'));
const rows = readLines('metrics.jsonl');
const last = rows.length;
const kept = new Set(
  Array.from({ length: ITERATIONS_KEPT }, (_, k) => Math.round(1 + (k * (last - 1)) / (ITERATIONS_KEPT - 1))),
);

const run = {
  experiment,
  metrics: [{ iteration: 0, 'eval/reward': result.eval_start, 'eval/reward_greedy': result.eval_start_greedy }, ...rows],
  episodes: readLines('transcripts.jsonl').filter(({ iteration, episode }) => kept.has(iteration) && episode < EPISODES_KEPT),
};

const text = JSON.stringify(run, (_, value) =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(DIGITS)) : value,
);
mkdirSync(path.dirname(target), { recursive: true });
writeFileSync(target, `${text}\n`);
console.log(`${target}: ${rows.length} iterations, ${run.episodes.length} episodes, ${(text.length / 1e3).toFixed(0)} kB`);
