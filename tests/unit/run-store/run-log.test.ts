import { describe, expect, it } from 'vitest';
import type { EpisodeRecord, MetricRow } from '../../../src/marft/records.ts';
import { RunLog } from '../../../src/run-store/run-log.ts';
import { MemoryFiles } from './memory-files.ts';

const row = (iteration: number): MetricRow => ({ iteration, 'reward/mean': iteration / 7 });
const episode = (iteration: number): EpisodeRecord => ({
  iteration, episode: 0, question: 'q', privateQuestions: {}, expected: 'a', reward: 1, rewardParts: {}, utterances: [],
});

async function logOf(iterations: number): Promise<MemoryFiles> {
  const files = new MemoryFiles();
  const log = new RunLog(files);
  for (let k = 1; k <= iterations; k++) await log.add(row(k), [episode(k)]);
  return files;
}

describe('a run’s log', () => {
  it('gives back all rows in order, from files that stay small', async () => {
    const files = await logOf(120);
    const { rows, episodes } = await new RunLog(files).readUntil(120);
    expect(rows).toEqual(Array.from({ length: 120 }, (_, k) => row(k + 1)));
    expect(episodes).toHaveLength(120);
    const metrics = [...files.files].filter(([name]) => name.startsWith('metrics'));
    expect(metrics).toHaveLength(3);
  });

  it('goes on after an iteration, and what came later is not there', async () => {
    const files = await logOf(60);
    const log = new RunLog(files);
    expect((await log.readUntil(55)).rows).toHaveLength(55);
    await log.add({ ...row(56), 'reward/mean': 9 }, []);
    const { rows } = await new RunLog(files).readUntil(56);
    expect(rows.slice(-2)).toEqual([row(55), { iteration: 56, 'reward/mean': 9 }]);
    expect(rows).toHaveLength(56);
  });

  it('forgets transcripts that are not kept, and does without files that were cut', async () => {
    const files = await logOf(5);
    await new RunLog(files).keepTranscripts([1, 4]);
    files.files.set('transcripts-4.json', new TextEncoder().encode('[{"itera'));
    const { rows, episodes } = await new RunLog(files).readUntil(5);
    expect(episodes).toEqual([episode(1)]);
    expect(rows).toHaveLength(5);
  });
});
