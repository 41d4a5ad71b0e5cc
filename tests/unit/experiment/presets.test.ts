import { describe, expect, it } from 'vitest';
import { PRESETS, PRESET_NAMES, presetByName } from '../../../src/experiment/presets.ts';
import { createGame } from '../../../src/marft/game.ts';

describe('presets', () => {
  it('are called as the command line calls them', () => {
    expect(PRESET_NAMES).toEqual([
      'duo-addition',
      'secret',
      'reversing',
      'comparison',
      'countdown',
      'walk',
      'relay',
      'trio-addition',
      'quad-addition',
      'parallel-judge-addition',
      'debate-addition',
      'micro-addition',
      'word-problems',
      'gsm8k',
      'code',
    ]);
  });

  it.each(PRESETS.map((preset) => [preset.name, preset] as const))('%s can be played and says what it is', (name, preset) => {
    expect(preset.experiment.name).toBe(name);
    expect(createGame(preset.experiment.team).agents.length).toBeGreaterThan(1);
    expect(preset.title).not.toBe('');
    expect(preset.description).toMatch(/\.$/);
  });

  it('come as copies, so that changing one changes no other', () => {
    presetByName('secret').schedule.iterations = 1;
    expect(presetByName('secret').schedule.iterations).toBe(40);
  });

  it('suggests a near name for an unknown one', () => {
    expect(() => presetByName('duo-adition')).toThrow('There is no preset named "duo-adition".');
    expect(() => presetByName('toString')).toThrow('There is no preset named "toString".');
  });
});
