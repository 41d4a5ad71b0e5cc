import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseExperiment } from '../../../src/experiment/schema.ts';
import { marft } from './marft.ts';

const folder = mkdtempSync(join(tmpdir(), 'marft-cli-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

describe('the command line', () => {
  it('explains itself and each command', async () => {
    expect((await marft('--help')).out).toContain('Usage: npm run --silent marft -- <command>');
    for (const command of ['run', 'eval', 'chat', 'sweep', 'merge', 'presets', 'link', 'metrics', 'score', 'export']) {
      const { code, out } = await marft(command, '--help');
      expect(code).toBe(0);
      expect(out).toContain(`Usage: npm run --silent marft -- ${command}`);
    }
  });

  it('explains itself and fails when no command is given', async () => {
    expect(await marft()).toMatchObject({ code: 2, err: '' });
  });

  it('lists presets, and prints them as experiments that are valid', async () => {
    expect((await marft('presets')).out).toContain('duo-addition\n');
    const listed = JSON.parse((await marft('presets', '--json')).out) as Record<string, unknown>;
    expect(Object.keys(listed)).toContain('secret');
    for (const experiment of Object.values(listed)) expect(parseExperiment(experiment)).toEqual(experiment);
  });

  it.each<[string[], string]>([
    [['train'], 'There is no command "train". There are: run, eval, chat, sweep, merge, report, presets, link, metrics, score, export.'],
    [['runn'], 'There is no command "runn". Did you mean run?'],
    [['--seed', '3'], 'The first argument must be a command, not --seed.'],
    [['run'], '"run" needs a preset or a file.'],
    [['run', 'duo-addition', 'secret'], '"run" takes one experiment, but was given "secret" as well.'],
    [['run', 'duo-addition', '--sed', '3'], '"run" has no option --sed. Did you mean --seed or --set?'],
    [['run', 'duo-addition', '-x'], '"run" has no option -x.'],
    [['run', 'duo-addition', '--seed'], 'The option --seed needs a value.'],
    [['run', 'duo-addition', '--out', '--seed', '3'], 'The option --out needs a value.'],
    [['run', 'duo-addition', '--seed', '1', '--seed', '2'], 'The option --seed is given twice.'],
    [['run', 'duo-addition', '--seed', 'x'], 'The option --seed needs a whole number, not "x".'],
    [['run', 'duo-addition', '--seed=-1'], 'seed must be at least 0, but it is -1.'],
    [['run', 'duo-addition', '--iterations', '0'], 'schedule.iterations must be at least 1, but it is 0.'],
    [['run', 'duo-addition', '--iterations', '1.5'], 'The option --iterations needs a whole number, not "1.5".'],
    [['run', 'duo-addition', '--backend', 'cuda'], 'There is no backend "cuda". Choose cpu or webgpu.'],
    [['run', 'duo-addition', '--set', 'iterations=3'], 'An experiment has no field iterations. Did you mean schedule.iterations?'],
    [['run', 'duo-addition', '--precision', 'int8'], 'There is no precision "int8". There are: auto, f32, f16, 4-bit.'],
    [['run', 'duo-addition', '--set', 'modelPrecision=f64'], 'modelPrecision must be one of "auto", "f32", "f16", "4-bit", but it is "f64".'],
    [['run', 'duo-adition'], 'There is no preset named "duo-adition". Did you mean duo-addition?'],
    [['run', './nowhere.json'], 'The file ./nowhere.json cannot be read.'],
    [['presets', 'duo-addition'], '"presets" takes no argument, but was given "duo-addition".'],
    [['presets', '--json=3'], 'The option --json takes no value.'],
  ])('refuses %j in a sentence and with exit code 2', async (args, sentence) => {
    const { code, out, err } = await marft(...args);
    expect(err).toContain(sentence);
    expect(err).not.toContain('    at ');
    expect(err.trimEnd()).toMatch(/[.?]$/);
    expect({ code, out }).toEqual({ code: 2, out: '' });
  });

  it('trains on a base held in 4 bits, and says so', async () => {
    const out = join(folder, 'four-bit');
    const small = ['schedule.episodes=8', 'schedule.evalEvery=0', 'schedule.finalEvalProblems=4', 'algorithm.critic.method=gradient'];
    const { code, out: said } = await marft('run', 'micro-addition', '--iterations', '1', '--precision', '4-bit', ...small.flatMap((one) => ['--set', one]), '--memory-limit', '300', '--out', out);
    expect(said).toContain('The base model is held in 4-bit.');
    expect(code).toBe(0);
    expect(JSON.parse(readFileSync(join(out, 'experiment.json'), 'utf8'))).toMatchObject({ model: 'marft-micro', modelPrecision: '4-bit' });
    expect(readFileSync(join(out, 'metrics.jsonl'), 'utf8').trim().split('\n')).toHaveLength(1);
  });

  it('refuses a file that is no experiment, naming what is wrong', async () => {
    const broken = await marft('run', file('broken.json', '{"version": 1,'));
    expect(broken).toMatchObject({ code: 2, out: '' });
    expect(broken.err).toContain('is not JSON');
    const other = await marft('run', file('other.json', '{"version": 1}'));
    expect(other).toMatchObject({ code: 2, out: '' });
    expect(other.err).toContain('name is missing; it must be a text.');
  });
});
