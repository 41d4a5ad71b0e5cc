import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { modelChoice, modelString } from '../../../src/experiment/model.ts';
import { PRESETS, presetByName } from '../../../src/experiment/presets.ts';
import { parseExperiment, type Experiment } from '../../../src/experiment/schema.ts';
import { PlaygroundError } from '../../../src/runtime/errors.ts';

const duo = (): Experiment => presetByName('duo-addition');

/** The error that parsing the document throws; fails the test when it is accepted. */
function refusal(document: unknown): PlaygroundError {
  try {
    parseExperiment(document);
  } catch (error) {
    if (error instanceof PlaygroundError) return error;
    throw error;
  }
  throw new Error(`accepted: ${JSON.stringify(document)}`);
}

describe('parseExperiment', () => {
  it('fills in every default', () => {
    const { task, team } = duo();
    const smallest = parseExperiment({ version: 1, name: 'mine', task: { name: task.name }, team: { agents: team.agents } });
    expect(smallest).toMatchObject({
      seed: 1,
      model: 'marft-tiny',
      modelPrecision: 'auto',
      schedule: { iterations: 40, episodes: 32, evalEvery: 10, evalProblems: 64, finalEvalProblems: 256 },
      algorithm: { method: 'marft', critic: { view: 'global' } },
      team: { dependency: 'chain', roles: 'named' },
    });
  });

  it.each(PRESETS.map((preset) => [preset.name, preset.experiment] as const))(
    'reads back %s as it was, also through JSON',
    (_, experiment) => {
      expect(parseExperiment(experiment)).toEqual(experiment);
      expect(parseExperiment(JSON.parse(JSON.stringify(experiment)))).toEqual(experiment);
    },
  );

  it('reads back any valid experiment as it was', () => {
    const change = fc.record({
      seed: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
      name: fc.string({ minLength: 1, maxLength: 80 }),
      iterations: fc.integer({ min: 1, max: 100_000 }),
      gammaToken: fc.double({ min: 0, max: 1, noNaN: true }),
      dependency: fc.constantFrom('chain' as const, 'none' as const, [[false, true], [false, false]]),
    });
    fc.assert(
      fc.property(change, ({ seed, name, iterations, gammaToken, dependency }) => {
        const { schedule, algorithm, team, ...rest } = duo();
        const experiment = parseExperiment({
          ...rest,
          seed,
          name,
          schedule: { ...schedule, iterations },
          algorithm: { ...algorithm, gammaToken },
          team: { ...team, dependency },
        });
        expect(experiment).toMatchObject({ seed, name, schedule: { iterations }, algorithm: { gammaToken }, team: { dependency } });
        expect(parseExperiment(JSON.parse(JSON.stringify(experiment)))).toEqual(JSON.parse(JSON.stringify(experiment)));
      }),
    );
  });

  it('refuses any other JSON with a sentence, never with an error of the schema library', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (document) => {
        expect(refusal(document).message).toMatch(SENTENCE);
      }),
    );
  });

  it('refuses any one field replaced by something it cannot be, and names it', () => {
    const paths = containerPaths(duo());
    fc.assert(
      fc.property(fc.constantFrom(...paths), fc.constantFrom(null, -5.5, [[[]]], { x: 1 }), (path, wrong) => {
        const document: unknown = duo();
        if (['adapter', 'klLimit'].includes(path.at(-1) ?? '') && wrong === null) return; // A run may do without them.
        replaceAt(document, path, wrong);
        const { message } = refusal(document);
        expect(message).toMatch(SENTENCE);
        expect(message).toContain(path.join('.'));
      }),
    );
  });

  it.each<[string, unknown, string]>([
    ['no object', [], 'The experiment must be an object, but it is [].'],
    ['no version', {}, 'version is missing; it must be 1.'],
    ['a version as text', { version: '1' }, 'version must be 1, but it is "1".'],
    ['a version to come', { version: 2 }, 'The experiment is written in version 2 of the format; this program reads version 1.'],
    ['an unknown field', { ...duo(), iterations: 3 }, 'The experiment has no field "iterations".'],
    ['an unknown model', { ...duo(), model: 'gpt' }, 'model must be one of "marft-tiny", "marft-games", "marft-micro" or "hub:owner/name" with or without "@revision", but it is "gpt".'],
    ['a negative seed', { ...duo(), seed: -1 }, 'seed must be at least 0, but it is -1.'],
    ['a seed beyond 31 bits', { ...duo(), seed: 2 ** 31 }, 'seed must be at most 2147483647, but it is 2147483648.'],
    ['a broken seed', { ...duo(), seed: 0.5 }, 'seed must be a whole number, but it is 0.5.'],
    ['NaN', { ...duo(), seed: Number.NaN }, 'seed must be a number, but it is NaN.'],
    ['no agents', { ...duo(), team: { agents: [] } }, 'team.agents must be a list of at least 1 entry, but it is [].'],
    ['a wrong dependency', withTeam({ dependency: 'ring' }), 'team.dependency must be one of "chain", "none" or a list, but it is "ring".'],
    ['a wrong cell', withTeam({ dependency: [[0]] }), 'team.dependency.0.0 must be true or false, but it is 0.'],
    ['a matrix of the wrong size', withTeam({ dependency: [[false]] }), 'The dependency matrix is not 2 × 2.'],
    ['an answer that others hear', withTeam({ dependency: [[false, true], [true, false]] }), '"reasoner" would speak after "solver" has answered, when the reward is fixed.'],
    ['an unknown task', { ...duo(), task: { name: 'chess' } }, 'There is no task named "chess".'],
    ['an option out of bounds', withOptions({ digits: 9 }), 'task.options.digits must be at most 3, but it is 9.'],
    ['an option that the task lacks', withOptions({ base: 2 }), 'task.options has no field "base".'],
    ['an unusable option name', withOptions({ 'a-b': 2 }), 'task.options.a-b is not a usable name of an option.'],
  ])('refuses %s', (_, document, message) => {
    expect(refusal(document).message).toBe(message);
  });

  it.each(['./folder', '/folder', 'Qwen/Qwen3-0.6B', 'hub:../x', 'hub:a/b@../c', 'https://elsewhere.example/a/b', 'hub:https://elsewhere.example'])(
    'refuses the model %s, which is no name here or on the Hub',
    (model) => {
      expect(refusal({ ...duo(), model }).message).toContain('model must be one of');
    },
  );

  it.each(['marft-micro', 'hub:Qwen/Qwen2.5-0.5B-Instruct', 'hub:a/b@refs/pr/1'])('accepts the model %s and reads it back', (model) => {
    expect(parseExperiment({ ...duo(), model }).model).toBe(model);
    expect(modelString(modelChoice(model))).toBe(model);
  });

  it('suggests the field that a misspelt one was meant to be', () => {
    const [first] = duo().team.agents;
    expect(refusal(withTeam({ agents: [{ ...first, profil: '' }] })).hint).toBe('Did you mean "profile"?');
  });

  it.each(['__proto__', 'constructor', 'prototype'])('refuses the key %s wherever it stands', (key) => {
    for (const document of [`{"${key}":{"seed":1}}`, `{"version":1,"task":{"name":"secret","options":{"${key}":1}}}`]) {
      expect(refusal(JSON.parse(document)).message).toContain(`${key} is not allowed`);
    }
  });

  it('refuses nesting without end', () => {
    const deep = '['.repeat(50_000) + ']'.repeat(50_000);
    expect(refusal({ version: 1, name: JSON.parse(deep) }).message).toMatch(SENTENCE);
  });
});

/** Begins a thought, ends it, and carries no JSON of zod's. */
const SENTENCE = /^(?!.*"code":)[^\n]+\.$/;

function withTeam(change: object): object {
  const experiment = duo();
  return { ...experiment, team: { ...experiment.team, ...change } };
}

function withOptions(options: object): object {
  return { ...duo(), task: { name: 'duo-addition', options } };
}

/** Paths of everything that is not a list's or record's own entry, without fields that may be null. */
function containerPaths(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.entries(value)
    .filter(([, below]) => below !== null)
    .flatMap(([key, below]) => [[...path, key], ...containerPaths(below, [...path, key])]);
}

function replaceAt(document: unknown, path: readonly string[], value: unknown): void {
  let parent = document;
  for (const key of path.slice(0, -1)) parent = Reflect.get(Object(parent), key);
  Reflect.set(Object(parent), path.at(-1) ?? '', value);
}
