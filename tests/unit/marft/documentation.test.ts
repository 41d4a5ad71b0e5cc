/** docs/algorithm.md says what the code does. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { at } from '../../../src/marft/arrays.ts';
import { agentSchema, algorithmSchema, teamSchema } from '../../../src/marft/settings.ts';
import { Trainer } from '../../../src/marft/trainer.ts';
import { algorithm, letterTask, TableModel, team, toyTokenizer } from './doubles.ts';

const PAGE = new URL('../../../docs/algorithm.md', import.meta.url);
const page = readFileSync(PAGE, 'utf8');

/** The cells of the table beneath a heading. */
function table(heading: string): string[][] {
  const section = page.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  return rows.map((line) => line.split('|').slice(1, -1).map((cell) => cell.trim().replaceAll('`', '')));
}

function leaves(value: object, path: string): [string, string][] {
  return Object.entries(value).flatMap(([key, one]: [string, unknown]) =>
    typeof one === 'object' && one !== null ? leaves(one, `${path}${key}.`) : [[`${path}${key}`, JSON.stringify(one)]],
  );
}

describe('the page on the algorithm', () => {
  it('lists every option with its default', () => {
    const agent = agentSchema.parse({ name: 'a', profile: '', role: 'answers' });
    const { dependency, roles, horizon } = teamSchema.parse({ agents: [agent] });
    const expected = [...leaves(algorithmSchema.parse({}), 'algorithm.'), ...leaves({ dependency, roles, horizon }, 'team.')];
    expect(table('Options and their defaults')).toEqual(expected);
  });

  it('lists every metric that a run logs, and no other', async () => {
    const logged = new Set<string>();
    for (const settings of [{}, { method: 'maporl' }, { critic: { method: 'gradient' } }]) {
      const trainer = new Trainer(
        {
          name: 'names',
          seed: 1,
          task: letterTask(),
          team: team(),
          algorithm: algorithm(settings),
          schedule: { iterations: 2, episodes: 16, evalEvery: 1, evalProblems: 8 },
        },
        { model: new TableModel(), tokenizer: toyTokenizer() },
        () => undefined,
      );
      await trainer.init();
      for (let k = 0; k < 2; k++) for (const name of Object.keys(await trainer.step())) logged.add(general(name));
    }
    expect([...logged].sort()).toEqual(table('Metrics').map((cells) => at(cells, 0)).sort());
  });

  it('names a test for every fault that it lists', () => {
    const section = page.split('## Faults of public codes, and the test of each\n')[1] ?? '';
    const named = [...section.matchAll(/\]\((\.\.[^)]+)\) "([^"]+)" \|$/gm)];
    expect(named).toHaveLength(section.split('\n').filter((line) => line.startsWith('|')).length - 2);
    for (const [, file = '', name = ''] of named) expect(readFileSync(new URL(file, PAGE), 'utf8')).toContain(`it('${name}'`);
  });

  it('links to files that exist', () => {
    const links = [...page.matchAll(/\]\((\.\.[^)]+)\)/g)].map((match) => match[1] ?? '');
    expect(links.length).toBeGreaterThan(10);
    for (const link of links) expect(existsSync(new URL(link, PAGE)), link).toBe(true);
  });
});

/** A metric's name with placeholders for names of agents, parts and stages. */
function general(name: string): string {
  return name.replace(/^agent-\d/, '<agent>').replace('reward/exact', 'reward/<part>').replace(/^time\/.*_s$/, 'time/<stage>_s');
}
