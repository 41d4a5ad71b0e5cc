import { describe, expect, it } from 'vitest';
import { decodeLink, encodeLink } from '../../../../src/experiment/link/link.ts';
import { summarise } from '../../../../src/experiment/link/summary.ts';
import { applyOverrides } from '../../../../src/experiment/overrides.ts';
import { presetByName } from '../../../../src/experiment/presets.ts';
import type { Experiment } from '../../../../src/experiment/schema.ts';

const opened = (experiment: Experiment): ReturnType<typeof summarise> => summarise(decodeLink(encodeLink(experiment)));

describe('what a link says before it is opened', () => {
  it('is the preset alone where it changes nothing, fetches nothing and carries no code', () => {
    expect(opened(presetByName('duo-addition'))).toEqual({ title: 'A duo learns to add', changes: [], downloads: [], code: [] });
  });

  it('is each change with what it was before', () => {
    const changed = applyOverrides(presetByName('duo-addition'), ['team.agents.1.temperature=0.5', 'algorithm.method=ippo']);
    expect(opened(changed).changes).toEqual([
      { path: 'algorithm.method', before: 'marft', after: 'ippo' },
      { path: 'team.agents.1.temperature', before: '1', after: '0.5' },
    ]);
  });

  it('is the code that would be run, whole', () => {
    const code = 'function reward() { return 1; }';
    const experiment = presetByName('duo-addition');
    expect(opened({ ...experiment, task: { ...experiment.task, reward: { code } } }).code).toEqual([{ language: 'javascript', code }]);
  });

  it('is what it would fetch: a model, and problems', () => {
    const { downloads } = opened(presetByName('gsm8k'));
    expect(downloads).toHaveLength(2);
    expect(downloads[0]).toContain('Qwen/Qwen2.5-0.5B-Instruct');
    expect(downloads[1]).toContain('GSM8K');
  });
});
