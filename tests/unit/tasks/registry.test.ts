import { describe, expect, it } from 'vitest';
import { agentSchema } from '../../../src/marft/settings.ts';
import { PlaygroundError } from '../../../src/runtime/errors.ts';
import { TASK_NAMES, taskByName } from '../../../src/tasks/registry.ts';
import { SUGGESTED_TEAMS } from '../../../src/tasks/teams.ts';

function codeOf(action: () => unknown): string | null {
  try {
    action();
    return null;
  } catch (error) {
    return error instanceof PlaygroundError ? error.code : 'not a PlaygroundError';
  }
}

describe('the registry of tasks', () => {
  it('knows every task by its own name', () => {
    for (const name of TASK_NAMES) expect(taskByName(name).name).toBe(name);
  });

  it('passes options on', () => {
    expect(taskByName('duo-addition', { digits: 3 }).heldOut(1, 1)[0]?.question).toMatch(/^\d{3}\+\d{3}=\?$/);
    expect(taskByName('duo-addition').heldOut(1, 1)[0]?.question).toMatch(/^\d{2}\+\d{2}=\?$/);
  });

  it('refuses unknown names and options with a hint', () => {
    for (const name of ['', 'chess', 'toString', '__proto__']) expect(codeOf(() => taskByName(name))).toBe('task-unknown');
    for (const options of [{ digits: 0 }, { digits: 4 }, { digits: '2' }, { digit: 2 }, 7]) {
      expect(codeOf(() => taskByName('duo-addition', options))).toBe('task-options');
    }
    expect(codeOf(() => taskByName('secret', { digits: 2 }))).toBe('task-options');
  });

  it('suggests for every task a team of valid agents of which the last one answers', () => {
    for (const name of TASK_NAMES) {
      const agents = (SUGGESTED_TEAMS[name] ?? []).map((agent) => agentSchema.parse(agent));
      expect(agents.length).toBeGreaterThanOrEqual(2);
      expect(agents.map(({ role }) => role)).toEqual([...agents.slice(1).map(() => 'speaks'), 'answers']);
    }
  });
});
