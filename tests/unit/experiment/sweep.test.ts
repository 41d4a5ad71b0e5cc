import { describe, expect, it } from 'vitest';
import { NAMED_SWEEPS, sweepByName } from '../../../src/experiment/named-sweeps.ts';
import { armsOf, experimentOf, identityOf, parseSweep, type Sweep } from '../../../src/experiment/sweep.ts';

function sweep(changes: object = {}): Sweep {
  return parseSweep({ version: 1, name: 'test', base: 'micro-addition', ...changes });
}

describe('a sweep', () => {
  it('makes an arm of every combination of the grid with every named arm', () => {
    const arms = armsOf(
      sweep({
        set: ['schedule.iterations=3'],
        arms: [{ name: 'a', set: [] }, { name: 'b', set: ['algorithm.method=ippo'] }],
        grid: { 'algorithm.clipLow': [0.1, 0.2], 'team.dependency': ['chain', 'none'] },
      }),
    );
    expect(arms.map(({ name }) => name)).toEqual([
      'a, clipLow=0.1, dependency=chain',
      'a, clipLow=0.1, dependency=none',
      'a, clipLow=0.2, dependency=chain',
      'a, clipLow=0.2, dependency=none',
      'b, clipLow=0.1, dependency=chain',
      'b, clipLow=0.1, dependency=none',
      'b, clipLow=0.2, dependency=chain',
      'b, clipLow=0.2, dependency=none',
    ]);
    const { experiment } = arms[7] ?? { experiment: null };
    expect(experiment?.algorithm).toMatchObject({ method: 'ippo', clipLow: 0.2 });
    expect(experiment?.team.dependency).toBe('none');
    expect(experiment?.schedule.iterations).toBe(3);
  });

  it('is one arm where nothing is varied, and lets an arm start from another preset', () => {
    expect(armsOf(sweep()).map(({ name }) => name)).toEqual(['base']);
    expect(armsOf(sweep({ arms: [{ name: 'x' }, { name: 'y', base: 'secret' }] })).map(({ experiment }) => experiment.task.name)).toEqual(['duo-addition', 'secret']);
  });

  it('compares every arm with the first, or with the one it names', () => {
    const arms = [{ name: 'a' }, { name: 'b' }, { name: 'c', against: 'b' }];
    expect(armsOf(sweep({ arms })).map(({ against }) => against)).toEqual([null, 'a', 'b']);
  });

  it.each<[object, string]>([
    [{ armz: [] }, 'The sweep has no field "armz".'],
    [{ version: 2 }, 'version must be 1, but it is 2.'],
    [{ name: 'Paper IPPO' }, 'name must be lower-case letters'],
    [{ base: 'duo-adition' }, 'In the arm "base": There is no preset named "duo-adition".'],
    [{ arms: [{ name: 'a', set: ['algorithm.clipLow=2'] }] }, 'In the arm "a": algorithm.clipLow must be at most 1'],
    [{ arms: [{ name: 'a' }, { name: 'a' }] }, 'Two arms are called "a".'],
    [{ arms: [{ name: 'a', against: 'b' }] }, 'The arm "a" is to be compared with "b", which is no other arm.'],
    [{ grid: { seed: Array.from({ length: 65 }, (_, k) => k) } }, 'grid.seed must be a list of at most 64 entries'],
    [{ grid: { seed: [1, 2, 3, 4, 5, 6, 7, 8, 9], 'algorithm.epochs': [1, 2, 3, 4, 5, 6, 7, 8, 9] } }, 'The sweep has 81 arms; at most 64 can be compared.'],
    [{ seeds: [] }, 'seeds must be a list of at least 1 entry'],
    [JSON.parse('{"base": {"__proto__": 1}}') as object, '__proto__ is not allowed in a sweep.'],
  ])('refuses %j in a sentence', (changes, sentence) => {
    expect(() => sweep(changes)).toThrow(sentence);
  });
});

describe('the identity of a run', () => {
  const [arm] = armsOf(sweep());

  it('is the same for the same experiment under another name or in another order of fields', () => {
    if (arm === undefined) throw new Error('no arm');
    const experiment = experimentOf(arm, 3, null);
    const reversed = Object.fromEntries(Object.entries({ ...experiment, name: 'other' }).reverse()) as typeof experiment;
    expect(identityOf(reversed)).toBe(identityOf(experiment));
  });

  it('differs by seed, learning rate and every other field', () => {
    if (arm === undefined) throw new Error('no arm');
    const identities = [experimentOf(arm, 3, null), experimentOf(arm, 4, null), experimentOf(arm, 3, 0.5)].map(identityOf);
    expect(new Set(identities).size).toBe(3);
  });
});

describe('the named sweeps', () => {
  it('hold experiments that can run, each with what it compares', () => {
    expect(NAMED_SWEEPS.length).toBeGreaterThanOrEqual(8);
    for (const named of NAMED_SWEEPS) {
      expect(parseSweep(named)).toEqual(named);
      expect(armsOf(named).length, named.name).toBeGreaterThan(1);
      expect(named.question, named.name).not.toBe('');
      expect(named.claim !== '' || !named.name.startsWith('paper/'), named.name).toBe(true);
    }
  });

  it('try the same learning rates for every arm that learns, on seeds that no result is reported on', () => {
    for (const { name, tune, seeds } of NAMED_SWEEPS) {
      // With D cut there is nothing to learn, so that no rate is better than another.
      if (name === 'paper/dependency') expect(tune).toBeNull();
      else expect(tune?.learningRates, name).toEqual([0.003, 0.01]);
      expect(seeds.filter((seed) => tune?.seeds.includes(seed)), name).toEqual([]);
      expect(seeds.length, name).toBeGreaterThanOrEqual(5);
    }
  });

  it('share plain MARFT, so that it runs once', () => {
    const first = (name: string): string => identityOf(armsOf(sweepByName(name))[0]?.experiment ?? ({} as never));
    const shared = ['paper/ippo', 'paper/roles', 'paper/agent-by-agent', 'paper/level', 'paper/gamma', 'who-learns'].map(first);
    expect(new Set(shared).size).toBe(1);
  });
});
