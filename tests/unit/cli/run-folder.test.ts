import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RunFolder } from '../../../src/cli/run-folder.ts';

let place = '';
beforeEach(() => void (place = mkdtempSync(join(tmpdir(), 'marft-folder-'))));
afterEach(() => rmSync(place, { recursive: true }));

describe('RunFolder', () => {
  it('writes lines at once, so that a run that dies leaves whole ones', () => {
    const folder = new RunFolder(join(place, 'deep', 'run'));
    folder.addMetrics({ iteration: 1, 'reward/mean': 0.5 });
    folder.addMetrics({ iteration: 2, 'reward/mean': 0.1 });
    const lines = readFileSync(join(place, 'deep', 'run', 'metrics.jsonl'), 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { iteration: 1, 'reward/mean': 0.5 },
      { iteration: 2, 'reward/mean': 0.1 },
    ]);
    folder.close();
  });

  it('keeps single-precision numbers exact in transcripts', () => {
    const folder = new RunFolder(place);
    const logprob = Math.fround(-1.2345678);
    folder.addTranscript({ logprob, id: 123456789 });
    folder.close();
    const { logprob: read, id } = JSON.parse(readFileSync(join(place, 'transcripts.jsonl'), 'utf8')) as Record<string, number>;
    expect(read).toBeCloseTo(logprob, 6);
    expect(id).toBe(123456789);
  });

  it('leaves no temporary file behind', () => {
    const folder = new RunFolder(place);
    folder.writeExperiment({ version: 1 });
    folder.writeAdapter('solver', new Map([['adapter_config.json', new TextEncoder().encode('{}')]]));
    folder.close();
    expect(readdirSync(place).sort()).toEqual(['adapters', 'experiment.json', 'metrics.jsonl', 'transcripts.jsonl']);
    expect(readdirSync(join(place, 'adapters', 'solver'))).toEqual(['adapter_config.json']);
  });

  it('replaces an earlier run\'s files and touches nothing else', () => {
    mkdirSync(join(place, 'adapters', 'old'), { recursive: true });
    for (const file of ['result.json', 'metrics.jsonl', 'notes.txt']) writeFileSync(join(place, file), 'old');
    new RunFolder(place).close();
    expect(readdirSync(place).sort()).toEqual(['metrics.jsonl', 'notes.txt', 'transcripts.jsonl']);
    expect(readFileSync(join(place, 'metrics.jsonl'), 'utf8')).toBe('');
  });

  it('says so when the folder cannot be written', () => {
    writeFileSync(join(place, 'file'), '');
    expect(() => new RunFolder(join(place, 'file'))).toThrow(/file cannot be written: /);
  });
});
