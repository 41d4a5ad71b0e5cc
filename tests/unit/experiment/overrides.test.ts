import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyOverride, applyOverrides } from '../../../src/experiment/overrides.ts';
import { presetByName } from '../../../src/experiment/presets.ts';
import { PlaygroundError } from '../../../src/runtime/errors.ts';

const duo = () => presetByName('duo-addition');

function refusal(...assignments: string[]): PlaygroundError {
  try {
    applyOverrides(duo(), assignments);
  } catch (error) {
    if (error instanceof PlaygroundError) return error;
    throw error;
  }
  throw new Error(`accepted: ${assignments.join(' ')}`);
}

describe('applyOverride', () => {
  it('takes a bare word', () => {
    expect(applyOverride(duo(), 'team.dependency=none').team.dependency).toBe('none');
  });

  it('takes JSON', () => {
    const matrix = '[[false,false],[true,false]]';
    const swapped = applyOverrides(duo(), [`team.dependency=${matrix}`, 'team.agents.0.role=answers', 'team.agents.1.role=speaks']);
    expect(swapped.team.dependency).toEqual(JSON.parse(matrix));
  });

  it('reaches into lists by index', () => {
    expect(applyOverride(duo(), 'team.agents.1.temperature=0.5').team.agents[1]?.temperature).toBe(0.5);
  });

  it('keeps a number as text where only a text can stand, and everything after the first equals sign', () => {
    expect(applyOverride(duo(), 'name=7').name).toBe('7');
    expect(applyOverride(duo(), 'team.agents.0.profile=1=2').team.agents[0]?.profile).toBe('1=2');
  });

  it('sets options of the task, which only the task knows', () => {
    expect(applyOverride(duo(), 'task.options.digits=1').task.options).toEqual({ digits: 1 });
  });

  it('switches the critic\'s adapter off and on again with its defaults', () => {
    const without = applyOverride(duo(), 'algorithm.critic.adapter=null');
    expect(without.algorithm.critic.adapter).toBeNull();
    expect(applyOverride(without, 'algorithm.critic.adapter={"rank":4}').algorithm.critic.adapter).toMatchObject({ rank: 4, alpha: 16 });
  });

  it('leaves the given experiment alone', () => {
    const experiment = duo();
    applyOverride(experiment, 'team.agents.0.temperature=0.5');
    expect(experiment).toEqual(duo());
  });

  it('sets any number of the schedule and of the algorithm', () => {
    const rates = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1024 }), rates, (episodes, rate) => {
        const changed = applyOverrides(duo(), [`schedule.episodes=${episodes}`, `algorithm.learningRate=${rate}`]);
        expect(changed.schedule.episodes).toBe(episodes);
        // JSON knows no negative zero.
        expect(changed.algorithm.learningRate).toBe(rate === 0 ? changed.algorithm.learningRate : rate);
      }),
    );
  });

  it.each([
    ['iterations=5', 'schedule.iterations'],
    ['schedule.iteration=5', 'schedule.iterations'],
    ['algorithm.cliplow=0.1', 'algorithm.clipLow'],
    ['team.agents.0.profil=x', 'team.agents.0.profile'],
  ])('refuses %s and names %s', (assignment, meant) => {
    const error = refusal(assignment);
    expect(error.code).toBe('override-path');
    expect(error.message).toBe(`An experiment has no field ${assignment.split('=')[0]}.`);
    expect(error.hint).toContain(meant);
  });

  it.each([
    ['team', '"team" does not say what to set to which value.'],
    ['=3', '"=3" does not say what to set to which value.'],
    ['team.agents.2.name=x', 'There is no team.agents.2: team.agents has 2 entries, numbered from 0.'],
    ['team.agents.-1.name=x', 'There is no team.agents.-1: team.agents has 2 entries, numbered from 0.'],
    ['team.dependency.0.1=true', 'team.dependency is "chain", so nothing inside it can be set.'],
    ['seed=many', 'seed must be a number, but it is "many".'],
    ['schedule.episodes=0', 'schedule.episodes must be at least 1, but it is 0.'],
    ['version=9', 'The experiment is written in version 9 of the format; this program reads version 1.'],
  ])('refuses %s', (assignment, message) => {
    expect(refusal(assignment).message).toBe(message);
  });

  it.each(['__proto__.polluted=1', 'task.options.__proto__=1', 'team.constructor.prototype.polluted=1', 'task.options.constructor=1'])(
    'refuses %s and touches no prototype',
    (assignment) => {
      expect(refusal(assignment).message).toMatch(/cannot be part of a path\.$/);
      expect(Reflect.get({}, 'polluted')).toBeUndefined();
    },
  );

  it('refuses a key that reaches a prototype inside a value', () => {
    expect(refusal('task.options={"__proto__":{"digits":1}}').message).toContain('is not allowed');
  });
});
