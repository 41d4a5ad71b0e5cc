/** A run on the user's own problems, from the command line to the files that it leaves. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { presetByName } from '../../../src/experiment/presets.ts';
import { marft } from '../cli/marft.ts';
import { parquet, startDataHub, type DataServer } from './data-server.ts';

let folder: string;
let hub: DataServer;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'marft-cli-data-'));
  hub = await startDataHub('org/sums');
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await hub.close();
});

const problems = Array.from({ length: 20 }, (_, k) => ({ frage: `${k}+1=?`, lösung: `one more\n#### ${k + 1}` }));
const columns = ['--set', 'task.options.question=frage', '--set', 'task.options.answer=lösung', '--set', 'task.options.answerFrom=hashes'];

describe('marft run with data', () => {
  it('trains on a file, says in the experiment which, and goes on with it', async () => {
    const file = join(folder, 'my problems.jsonl');
    const out = join(folder, 'run');
    writeFileSync(file, problems.map((problem) => JSON.stringify(problem)).join('\n'));
    const { code, err } = await marft('run', 'micro-addition', '--data', file, '--iterations', '1', '--out', out, ...columns);
    expect(err).not.toContain('wrong');
    expect(code).toBe(0);
    const { task } = JSON.parse(readFileSync(join(out, 'experiment.json'), 'utf8')) as { task: { name: string; options: Record<string, unknown> } };
    expect(task).toMatchObject({ name: 'dataset', options: { source: 'file', file: 'my problems.jsonl', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string, question: 'frage' } });
    const transcripts = readFileSync(join(out, 'transcripts.jsonl'), 'utf8').trim().split('\n');
    expect(transcripts.length).toBe(4);
    expect(transcripts.every((line) => /"question":"\d+\+1=\?"/.test(line))).toBe(true);

    expect((await marft('run', '--resume', out)).code).toBe(0);
    expect((await marft('run', join(out, 'experiment.json'), '--iterations', '1', '--out', join(folder, 'other'))).err).toContain('The experiment’s problems are in a file that is not here. Choose the file under Data in the page, or name it with --data');
    writeFileSync(file, '{"frage":"1+1=?"}');
    expect((await marft('run', '--resume', out)).err).toContain('my problems.jsonl is not the file that the experiment was made with.');
  });

  it('trains on a data set of the Hub, through the cache', async () => {
    hub.converted.set('default/train/0000.parquet', parquet({ question: problems.map(({ frage }) => frage), answer: problems.map((_, k) => k + 1) }));
    const out = join(folder, 'hub');
    const dataset = ['--set', 'task={"name":"dataset","options":{"source":"hub:org/sums"}}'];
    const first = await marft('run', 'micro-addition', ...dataset, '--iterations', '1', '--out', out, '--hub-endpoint', hub.endpoint, '--cache', join(folder, 'cache'));
    expect(first.err).not.toContain('wrong');
    expect(first.code).toBe(0);
  });

  it('trains on programming problems of a file where the experiment is about programs', async () => {
    const file = join(folder, 'tests.jsonl');
    writeFileSync(file, problems.map((_, k) => JSON.stringify({ problem: `Print ${k}.`, tests: [{ input: '', output: `${k}\n` }] })).join('\n'));
    const experiment = join(folder, 'code.json');
    writeFileSync(experiment, JSON.stringify({ ...presetByName('micro-addition'), task: { name: 'code', options: { language: 'javascript', reward: 'fraction' } } }));
    const out = join(folder, 'code');
    const { code, err } = await marft('run', experiment, '--data', file, '--iterations', '1', '--out', out);
    expect(err).not.toContain('wrong');
    expect(code).toBe(0);
    const { task } = JSON.parse(readFileSync(join(out, 'experiment.json'), 'utf8')) as { task: unknown };
    expect(task).toMatchObject({ name: 'code', options: { source: 'file', file: 'tests.jsonl', language: 'javascript', reward: 'fraction' } });
    expect(readFileSync(join(out, 'transcripts.jsonl'), 'utf8')).toMatch(/"question":"Print \d+\./);
  });

  it('says in a sentence what is wrong with the file', async () => {
    expect((await marft('run', 'micro-addition', '--data', join(folder, 'nothing.csv'))).err).toContain('nothing.csv cannot be read.');
    const file = join(folder, 'broken.csv');
    writeFileSync(file, 'question,answer\n1+1=?,2\n"2+2=?,4\n');
    const { code, err } = await marft('run', 'micro-addition', '--data', file, '--out', join(folder, 'broken'));
    expect([code, err]).toEqual([1, expect.stringMatching(/Line \d of broken\.csv: /)]);
    writeFileSync(file, 'q,answer\n1+1=?,2\n2+2=?,4\n');
    expect((await marft('run', 'micro-addition', '--data', file, '--out', join(folder, 'broken'))).err).toContain('broken.csv has no column "question". Its columns are: q, answer.');
  });
});
