import { describe, expect, it } from 'vitest';
import { templateFor } from '../../../../src/app/team/team-templates.ts';
import { presetByName } from '../../../../src/experiment/presets.ts';
import { parseExperiment } from '../../../../src/experiment/schema.ts';
import { TEAM_TEMPLATES } from '../../../../src/marft/templates.ts';

describe('team templates of the page', () => {
  const addition = presetByName('duo-addition');
  const secret = presetByName('secret');

  it.each(TEAM_TEMPLATES)('%s can be played in every task, with adapters as they were', (name) => {
    for (const experiment of [addition, secret]) {
      const { team } = parseExperiment({ ...experiment, team: templateFor(name, experiment.task.name, experiment.team) });
      expect(team.agents.map(({ adapter }) => adapter)).toEqual(team.agents.map(() => experiment.team.agents[0]?.adapter));
    }
  });

  it('speaks to adders in words that their model has learnt', () => {
    expect(JSON.stringify(templateFor('trio', addition.task.name, addition.team))).toContain('Add step by step.');
    expect(JSON.stringify(templateFor('trio', secret.task.name, secret.team))).not.toContain('Add step by step.');
  });
});
