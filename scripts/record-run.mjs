/**
 * Trains presets with the command line and writes what the page shows of them without training anything:
 *
 *   node scripts/record-run.mjs duo-addition secret …
 *
 * public/recorded/<preset>.json is the run: its experiment, the command that made it, all metrics, and of the transcripts a few iterations,
 * evenly spread, with as many episodes as the file has room for. public/recorded/gallery.json has a line about every run in that folder.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

const ROOT = path.join(import.meta.dirname, '..');
const RECORDED = path.join(ROOT, 'public/recorded');
const GALLERY = 'gallery.json';

/** The run that the page opens with: more can be read of it. */
const FIRST = 'duo-addition';
const WHOLE = { iterations: 7, episodes: 32, bytes: Infinity };
/** Of the others. Bytes are compressed ones. */
const COMPACT = { iterations: 4, episodes: 16, bytes: 56_000 };

/** Digits of a token's numbers; the page shows three decimals. */
const DIGITS = 5;
/** Points of a curve in the gallery. */
const POINTS = 40;

const names = process.argv.slice(2);
if (names.length === 0) {
  console.error('Usage: node scripts/record-run.mjs PRESET…');
  process.exit(1);
}
for (const name of names) record(name);
writeGallery();

function record(name) {
  const args = ['run', name];
  const { status } = spawnSync(process.execPath, [path.join(import.meta.dirname, 'marft.mjs'), ...args], { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
  const folder = path.join(ROOT, 'runs', `${name}-seed1`);
  const readText = (file) => readFileSync(path.join(folder, file), 'utf8');
  const readLines = (file) => readText(file).trim().split('\n').map((line) => JSON.parse(line));

  const result = JSON.parse(readText('result.json'));
  const rows = readLines('metrics.jsonl');
  const metrics = [{ iteration: 0, 'eval/reward': result.eval_start, 'eval/reward_greedy': result.eval_start_greedy }, ...rows];
  const transcripts = readLines('transcripts.jsonl');
  const bounds = name === FIRST ? WHOLE : COMPACT;
  const kept = new Set(evenly(rows, bounds.iterations).map(({ iteration }) => iteration));
  const document = (episodes) => ({
    command: `npm run --silent marft -- ${args.join(' ')}`,
    experiment: JSON.parse(readText('experiment.json')),
    heldOut: { problems: result.eval_problems, before: result.eval_base, after: result.eval_trained },
    metrics,
    episodes: transcripts.filter(({ iteration, episode }) => kept.has(iteration) && episode < episodes),
  });
  let { episodes } = bounds;
  while (episodes > 1 && gzipSync(written(document(episodes))).length > bounds.bytes) episodes -= 1;
  const text = written(document(episodes));
  writeFileSync(path.join(RECORDED, `${name}.json`), text);
  console.log(`${name}: ${rows.length} iterations, ${kept.size} × ${episodes} episodes, ${(gzipSync(text).length / 1e3).toFixed(0)} kB compressed`);
}

/** What is listed before any of the runs is fetched. */
function writeGallery() {
  const files = readdirSync(RECORDED).filter((file) => file.endsWith('.json') && file !== GALLERY);
  const runs = files.map((file) => {
    const { command, experiment, heldOut, metrics } = JSON.parse(readFileSync(path.join(RECORDED, file), 'utf8'));
    const rewards = metrics.filter(({ iteration }) => iteration > 0).map((row) => row['reward/mean']);
    return { preset: experiment.name, command, iterations: rewards.length, heldOut, curve: evenly(rewards, POINTS) };
  });
  writeFileSync(path.join(RECORDED, GALLERY), written(runs));
}

function written(value) {
  return `${JSON.stringify(value, (_, one) => (typeof one === 'number' && !Number.isInteger(one) ? Number(one.toPrecision(DIGITS)) : one))}\n`;
}

/** At most so many of them, the first and the last among them. */
function evenly(all, count) {
  if (all.length <= count) return all;
  return Array.from({ length: count }, (_, k) => all[Math.round((k * (all.length - 1)) / (count - 1))]);
}
