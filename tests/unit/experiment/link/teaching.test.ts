import { describe, expect, it } from 'vitest';
import { classCode, lockedChange, targetReached } from '../../../../src/experiment/link/teaching.ts';
import { teachingSchema } from '../../../../src/experiment/link/parts.ts';
import { applyOverrides } from '../../../../src/experiment/overrides.ts';
import { presetByName } from '../../../../src/experiment/presets.ts';

const start = presetByName('duo-addition');
const change = (...assignments: string[]): typeof start => applyOverrides(presetByName('duo-addition'), assignments);
const teaching = (document: object): ReturnType<typeof teachingSchema.parse> => teachingSchema.parse(document);

describe('a locked field', () => {
  it('cannot be changed, nor what lies below it, nor as a part of a whole', () => {
    expect(lockedChange(start, change('seed=7'), teaching({ l: ['seed'] }))).toBe('seed');
    expect(lockedChange(start, change('algorithm.method=ippo'), teaching({ l: ['algorithm'] }))).toBe('algorithm.method');
    expect(lockedChange(start, { ...start, team: { ...start.team, agents: start.team.agents.slice(1) } }, teaching({ l: ['team.agents.0.profile'] }))).toBe('team.agents');
    expect(lockedChange(start, change('seed=7'), teaching({ l: ['algorithm'] }))).toBeNull();
  });

  it('is every one but those that are left open', () => {
    const onlyD = teaching({ o: ['team.dependency'] });
    expect(lockedChange(start, change('team.dependency=none'), onlyD)).toBeNull();
    expect(lockedChange(start, change('seed=7'), onlyD)).toBe('seed');
    expect(lockedChange(start, start, onlyD)).toBeNull();
  });
});

describe('a target', () => {
  const rows = [{ iteration: 0, 'eval/reward': 0.99 }, { iteration: 1, 'reward/mean': 0.5, 'eval/reward': 0.6 }, { iteration: 2, 'reward/mean': 0.4 }];

  it('is reached by the best figure since training began', () => {
    expect(targetReached(teaching({ g: { m: 'heldOut', v: 0.9 } }), rows)).toEqual({ best: 0.6, reached: false });
    expect(targetReached(teaching({ g: { m: 'training', v: 0.5 } }), rows)).toEqual({ best: 0.5, reached: true });
    expect(targetReached(teaching({ g: { m: 'training', v: 0 } }), [])).toEqual({ best: null, reached: false });
    expect(targetReached(teaching({}), rows)).toBeNull();
  });
});

describe('a class code', () => {
  it('is the same for the same link, wherever the page lies', () => {
    expect(classCode('https://a.org/#x=abc')).toBe(classCode('x=abc'));
    expect(classCode('x=abc')).toMatch(/^[A-HJKMNP-Z2-9]{6}$/);
    expect(classCode('x=abd')).not.toBe(classCode('x=abc'));
  });
});
