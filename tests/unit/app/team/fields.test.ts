import { describe, expect, it } from 'vitest';
import { boundsOf, fieldAt, pathsBelow, shown, valueAt } from '../../../../src/app/team/fields.ts';
import { presetByName } from '../../../../src/experiment/presets.ts';
import { LORA_TARGETS } from '../../../../src/marft/settings.ts';

describe('fields of an experiment', () => {
  it('tells what the schema says of a number, its bounds in words', () => {
    const tokens = fieldAt('team.agents.0.maxNewTokens');
    expect(tokens).toMatchObject({ kind: 'number', whole: true, min: 1, max: 1024 });
    expect(boundsOf(tokens)).toBe('whole number from 1 to 1,024');
    expect(boundsOf(fieldAt('team.agents.0.topP'))).toBe('number above 0, at most 1');
  });

  it('tells choices, switches and texts apart', () => {
    expect(fieldAt('team.agents.0.role')).toMatchObject({ kind: 'choice', options: ['speaks', 'answers'] });
    expect(fieldAt('team.agents.0.adapter.targets')).toMatchObject({ kind: 'choices', options: [...LORA_TARGETS] });
    expect(fieldAt('team.agents.0.trainable').kind).toBe('boolean');
    expect(fieldAt('team.agents.0.profile').kind).toBe('text');
  });

  it('refuses a path that no experiment has, and finds nothing where nothing stands', () => {
    expect(() => fieldAt('team.agents.0.constructor')).toThrow(RangeError);
    expect(valueAt(presetByName('duo-addition'), 'team.agents.7.name')).toBeUndefined();
    expect(valueAt(presetByName('duo-addition'), 'team.__proto__')).toBeUndefined();
    expect(valueAt(presetByName('duo-addition'), 'team.agents.0.name')).toBe('reasoner');
  });

  it('lists what can be set of an adapter, and writes values in plain words', () => {
    const adapter = 'team.agents.0.adapter';
    expect(pathsBelow(adapter)).toEqual(['rank', 'alpha', 'targets', 'rslora'].map((key) => `${adapter}.${key}`));
    expect([null, true, false, ['a', 'b'], 3].map(shown)).toEqual(['none', 'on', 'off', 'a, b', '3']);
  });
});
