import { describe, expect, it } from 'vitest';
import { codeOf } from '../../../src/experiment/carried-code.ts';
import { decodeLink, encodeLink } from '../../../src/experiment/link/link.ts';
import { presetByName } from '../../../src/experiment/presets.ts';
import { parseExperiment } from '../../../src/experiment/schema.ts';
import { MAX_REWARD_CODE } from '../../../src/tasks/custom-reward.ts';

const preset = presetByName('micro-addition');
const withCode = (code: string): unknown => ({ ...preset, task: { ...preset.task, reward: { code } } });

describe('the code that an experiment carries', () => {
  it('is its reward, and mostly none', () => {
    expect(codeOf(preset)).toEqual([]);
    const code = 'function reward() { return 1; }';
    expect(codeOf(parseExperiment(withCode(code)))).toEqual([{ language: 'javascript', code }]);
  });

  it('survives a link', () => {
    const experiment = parseExperiment(withCode('const reward = ({ answer }) => answer.length < 3; // “ü”'));
    expect(decodeLink(encodeLink(experiment)).experiment).toEqual(experiment);
  });

  it('is neither empty nor longer than the bound, nor anything else than a text', () => {
    expect(() => parseExperiment(withCode(''))).toThrow('task.reward.code');
    expect(() => parseExperiment(withCode('x'.repeat(MAX_REWARD_CODE + 1)))).toThrow('task.reward.code');
    expect(() => parseExperiment({ ...preset, task: { ...preset.task, reward: { code: 1 } } })).toThrow('task.reward.code');
    expect(() => parseExperiment({ ...preset, task: { ...preset.task, reward: 'x' } })).toThrow('task.reward');
  });
});
