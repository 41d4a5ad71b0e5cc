/** Runs that are killed, interrupted or damaged, and go on. */
import { spawn } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lockRun } from '../../../src/cli/run-lock.ts';
import { marft } from './marft.ts';

const MAIN = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));
const MICRO = fileURLToPath(new URL('../../../public/models/marft-micro', import.meta.url));
const ITERATIONS = 6;
/** The model is too small to earn anything; entropy and penalty give it something to learn from. */
const RUN = [
  'run', 'micro-addition', '--iterations', String(ITERATIONS), '--set', 'schedule.evalEvery=3', '--set', 'schedule.finalEvalProblems=4',
  '--set', 'algorithm.entropyCoef=0.1', '--set', 'algorithm.klRewardCoef=0.01', '--set', 'algorithm.learningRate=0.02',
];

const place = mkdtempSync(join(tmpdir(), 'marft-resume-'));
afterAll(() => rmSync(place, { recursive: true }));
const folder = (name: string): string => join(place, name);

/** All that must be the same, as text: the metrics but for times, speeds and memory, and everything else but for the seconds. */
function traces(name: string): Record<string, unknown> {
  const read = (file: string): string => readFileSync(join(folder(name), file), 'utf8');
  const timeless = (key: string, value: unknown): unknown => (/^time\/|tok_per_s$|^mem\/|^seconds$|^rss_mb/.test(key) ? undefined : value);
  const json = (text: string): unknown => JSON.parse(JSON.stringify(JSON.parse(text), timeless));
  return {
    metrics: read('metrics.jsonl').trimEnd().split('\n').map(json),
    transcripts: read('transcripts.jsonl'),
    result: json(read('result.json')),
    experiment: read('experiment.json'),
    adapter: readFileSync(join(folder(name), 'adapters', 'solver', 'adapter_model.safetensors')).toString('base64'),
  };
}

/** Runs in a process of its own and kills it at once when it says that an iteration is done: the next one has begun by then. */
function runUntilKilled(iteration: number, ...args: string[]): Promise<void> {
  const child = spawn(process.execPath, ['--import', 'tsx', MAIN, ...args]);
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
      if (new RegExp(`iteration +${iteration}/`).test(printed)) child.kill('SIGKILL');
    });
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (_, signal) => (signal === 'SIGKILL' ? resolve() : reject(new Error(`was not killed\n${printed}`))));
  });
}

beforeAll(async () => {
  expect(await marft(...RUN, '--out', folder('whole'))).toMatchObject({ code: 0, err: '' });
});

const copy = (name: string): string => {
  cpSync(folder('killed'), folder(name), { recursive: true });
  return folder(name);
};

describe('a run that is killed in the middle of an iteration', () => {
  beforeAll(async () => {
    await runUntilKilled(3, ...RUN, '--keep-every', '2', '--out', folder('killed'));
  });

  it('leaves the same files as one that was not, when it goes on, also after it was killed again', async () => {
    const out = copy('killed-again');
    await runUntilKilled(5, 'run', '--resume', out);
    const { code, err, out: printed } = await marft('run', '--resume', out);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(printed).toMatch(/Going on after iteration [45] of 6\./);
    expect(printed).not.toContain('Base model on');
    expect(traces('killed-again')).toEqual(traces('whole'));
    expect(existsSync(join(out, 'run.lock'))).toBe(false);
  });

  it('loses no more than the iteration that it was in, and one more where the newest checkpoint is damaged', async () => {
    const out = copy('damaged');
    const newest = Math.max(...readdirSync(join(out, 'checkpoints')).map((name) => Number(/^iteration-(\d+)\.json$/.exec(name)?.[1] ?? 0)));
    expect(newest).toBeGreaterThanOrEqual(2);
    truncateSync(join(out, 'checkpoints', `iteration-${newest}.safetensors`), 1000);
    const { code, err, out: printed } = await marft('run', '--resume', out);
    expect(code).toBe(0);
    expect(err).toMatch(new RegExp(`^The checkpoint of iteration ${newest} is passed over\\. The checkpoint is damaged: its tensors have 1000 bytes instead of \\d+\\.\n$`));
    expect(printed).toContain(`Going on after iteration ${newest - 1} of 6.`);
    expect(traces('damaged')).toEqual(traces('whole'));
  });

  it('goes back to an iteration that was kept, and may be named together with its own experiment', async () => {
    const { code, out: printed } = await marft(...RUN, '--resume', copy('back'), '--at', '2');
    expect(code).toBe(0);
    expect(printed).toContain('Going on after iteration 2 of 6.');
    expect(traces('back')).toEqual(traces('whole'));
  });

  it('does not go on from a checkpoint whose lines are gone', async () => {
    const out = copy('short');
    truncateSync(join(out, 'metrics.jsonl'), 10);
    const { code, err } = await marft('run', '--resume', out);
    expect(err).toContain('is passed over. metrics.jsonl is shorter than it was then.');
    expect(err).toContain('No checkpoint of this run can be gone on from.');
    expect(code).toBe(1);
  });

  it.each<[string, string[], RegExp]>([
    ['another experiment', [...RUN, '--set', 'seed=2'], /^The run in .* is of another experiment: its seed is 1, not 2\. Leave the experiment out/],
    ['another length', [...RUN, '--set', 'schedule.iterations=20'], /its schedule\.iterations is 6, not 20\./],
    ['another model', ['run', '--model', MICRO], /^The run was trained on marft-micro#[0-9a-f]{16}, not on .*marft-micro\. Name that model/],
    ['changes', ['run', '--seed', '2'], /^A run goes on with the experiment that it was begun with, so --seed can change nothing\./],
    ['an iteration that was not kept', ['run', '--at', '77'], /^There is no checkpoint of iteration 77\. There are those of /],
    ['another folder', ['run', '--out', 'elsewhere'], /^A run goes on in its own folder\./],
  ])('is not gone on with when it is asked for with %s, and nothing in it is touched', async (_, args, sentence) => {
    const before = readdirSync(folder('killed'), { recursive: true }).filter((name) => name !== 'run.lock').sort();
    const { code, err } = await marft(...args, '--resume', folder('killed'));
    expect(err).toMatch(sentence);
    expect(code).toBeGreaterThan(0);
    expect(readdirSync(folder('killed'), { recursive: true }).sort()).toEqual(before);
  });
});

describe('a run folder', () => {
  it('is refused while another process writes to it, and taken over when that one is no more', async () => {
    const unlock = lockRun(folder('locked'));
    expect(() => lockRun(folder('locked'))).toThrow(`Process ${process.pid} on ${hostname()} is writing to`);
    const { code, err } = await marft(...RUN, '--out', folder('locked'));
    expect(code).toBe(1);
    expect(err).toContain('Wait for it or end it.');
    unlock();
    // No process has this number: the system's own limit is below it.
    writeFileSync(join(folder('locked'), 'run.lock'), JSON.stringify({ pid: 2 ** 30, host: hostname() }));
    lockRun(folder('locked'))();
    writeFileSync(join(folder('locked'), 'run.lock'), JSON.stringify({ pid: 1, host: 'elsewhere' }));
    expect(() => lockRun(folder('locked'))).toThrow('Process 1 on elsewhere is writing to');
  });

  it('of a run without checkpoints is refused, and so is one that does not exist', async () => {
    copyFileSync(join(folder('whole'), 'experiment.json'), join(folder('locked'), 'experiment.json'));
    rmSync(join(folder('locked'), 'run.lock'));
    expect((await marft('run', '--resume', folder('locked'))).err).toContain('Nothing is saved in');
    expect((await marft('run', '--resume', folder('nowhere'))).err).toContain('There is no folder');
    expect(existsSync(folder('nowhere'))).toBe(false);
    expect((await marft('run', 'micro-addition', '--at', '3')).err).toContain('The option --at needs --resume.');
    expect((await marft('run', 'micro-addition', '--save-every', '0')).err).toContain('must be at least 1');
  });

  it('that is used again forgets the earlier run’s checkpoints', async () => {
    cpSync(folder('whole'), folder('again'), { recursive: true });
    await marft(...RUN, '--set', 'schedule.iterations=1', '--out', folder('again'));
    expect(readdirSync(join(folder('again'), 'checkpoints')).filter((name) => name.endsWith('.json')).sort()).toEqual(['iteration-0.json', 'iteration-1.json']);
  });
});
