/**
 * `npm run check:large -- --folder DIR [--python PATH]`: a repository of the true shape of Qwen2.5-0.5B is made in
 * DIR (1 GB), served by a Hub in miniature, downloaded over a connection that is cut, and trained for one iteration on the CPU. Checks the download,
 * the memory and the plan of it, and prints the seconds of every stage. No part of the tests: it takes Python with torch, 8 GB, and minutes.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { describeMemory, megabytes } from '../../src/engine/planner.ts';
import { COMMIT, cutAfter, folderFiles, rangeOf, startHub, type HubServer } from '../unit/checkpoint/hub-server.ts';
import { MEMORY_LIMIT, type Measured } from './measured.ts';

const REPOSITORY = 'Org/large';
const SHARD = 'model-00002-of-00003.safetensors';
const SHARDS = 3;
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Where the connection is cut, in bytes of the shard. */
const CUT = 100_000_000;
/** The plan may be wrong by this share. */
const TOLERANCE = 0.2;

const { values } = parseArgs({ options: { folder: { type: 'string' }, python: { type: 'string', default: process.env['PYTHON'] ?? 'python3' } } });
const { folder, python } = values;
if (folder === undefined) {
  process.stderr.write('Usage: npm run check:large -- --folder DIR [--python PATH]\n');
  process.exit(2);
}
const model = join(folder, 'repository');
const cache = join(folder, 'cache');
if (!existsSync(join(model, 'tokenizer.json'))) {
  execFileSync(python, [join(ROOT, 'tests/reference/large_repository.py'), model], { stdio: 'inherit' });
}
rmSync(cache, { recursive: true, force: true });
const hub = await startHub(REPOSITORY, folderFiles(model));
let cuts = 0;
hub.misbehave = (request, response) => {
  const content = hub.files.get(SHARD);
  if (cuts > 0 || !content || request.url !== `/cdn/${COMMIT}/${SHARD}`) return false;
  cuts += 1;
  cutAfter(response, content, rangeOf(request), CUT);
  return true;
};
const checks: [claim: string, holds: boolean, detail: string][] = [];
try {
  const measured = await measure(hub.endpoint, cache);
  checkDownload(hub);
  checkIteration(measured);
} finally {
  await hub.close();
}
for (const [claim, holds, detail] of checks) process.stdout.write(`${holds ? 'yes' : 'NO '}  ${claim}: ${detail}\n`);
process.exitCode = checks.every(([, holds]) => holds) ? 0 : 1;

/** In a process of its own, with the allocator set as the command line sets it. */
function measure(endpoint: string, cache: string): Promise<Measured> {
  const allocator = JSON.parse(readFileSync(join(ROOT, 'scripts/allocator.json'), 'utf8')) as Record<string, string>;
  const program = ['--import', 'tsx', join(ROOT, 'tests/large/one-iteration.ts'), endpoint, REPOSITORY, cache];
  const child = spawn(process.execPath, program, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'], env: { ...allocator, ...process.env } });
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout.on('data', (piece: Buffer) => (output += piece.toString()));
    child.on('close', (code) => (code === 0 ? resolve(JSON.parse(output) as Measured) : reject(new Error(`the iteration ended with ${code}`))));
  });
}

/** Every byte of every shard was asked for once, but for what was under way when the connection was cut. */
function checkDownload({ asked, files }: HubServer): void {
  const ranges = asked.flatMap((line) => {
    const [, start, end] = new RegExp(`^/cdn/${COMMIT}/${SHARD} (\\d+)-(\\d+)$`).exec(line) ?? [];
    return start === undefined || end === undefined ? [] : [[Number(start), Number(end)] as const];
  });
  const [, second] = ranges;
  const size = files.get(SHARD)?.length ?? 0;
  const resumedAt = second?.[0] ?? 0;
  const holds = cuts === 1 && ranges.length === 2 && resumedAt > 0 && resumedAt <= CUT && second?.[1] === size - 1;
  checks.push(['a cut download goes on where it was cut', holds, `cut within ${CUT}, resumed at ${resumedAt} of ${size} bytes`]);
  const requests = asked.filter((line) => line.startsWith(`/cdn/`)).length;
  checks.push(['nothing else is fetched twice', requests === SHARDS + 1, `${requests} requests for ${SHARDS} shards`]);
}

function checkIteration({ plan, metrics, lengths, loadingSeconds, peakBytes }: Measured): void {
  const whole = lengths.length === 16 && lengths.every((length) => length === 64);
  checks.push(['2 agents said 64 tokens in each of 8 episodes', whole, `${lengths.length} utterances of ${Math.min(...lengths)} to ${Math.max(...lengths)}`]);
  const learnt = ['reasoner', 'solver'].map((agent) => metrics[`${agent}/grad_norm`] ?? 0);
  checks.push(['both were updated', learnt.every((norm) => norm > 0), `gradient norms ${learnt.map((norm) => norm.toExponential(2)).join(', ')}`]);
  checks.push(['under 8 GB of resident memory', peakBytes < MEMORY_LIMIT, `${megabytes(peakBytes)} MB at most`]);
  const ratio = peakBytes / plan.table.total;
  checks.push(['the plan is right within a fifth', Math.abs(ratio - 1) <= TOLERANCE, `${describeMemory(plan.table)} = ${megabytes(plan.table.total)} MB planned, ${ratio.toFixed(2)} of it measured`]);
  const stages = Object.entries(metrics).flatMap(([name, seconds]) => (name.startsWith('time/') ? [`${name.slice(5, -2)} ${seconds.toFixed(0)}`] : []));
  process.stdout.write(`Seconds: loading ${loadingSeconds.toFixed(0)}, ${stages.join(', ')}.\n`);
}
