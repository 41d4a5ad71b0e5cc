/** Everything that a link can carry beside an experiment. */
import fc from 'fast-check';
import { HIDEABLE, type LinkParts } from '../../../../src/experiment/link/parts.ts';
import type { Experiment } from '../../../../src/experiment/schema.ts';

const reward = fc.double({ min: -1, max: 1, noNaN: true }).map((value) => value + 0);
const results = fc
  .record({
    b: fc.constantFrom('cpu' as const, 'wasm' as const, 'webgpu' as const),
    steps: fc.array(fc.tuple(fc.integer({ min: 1, max: 50 }), reward), { minLength: 1, maxLength: 100 }),
    h: fc.array(fc.tuple(fc.nat({ max: 1000 }), reward, reward), { maxLength: 5 }),
    f: fc.stringMatching(/^[0-9a-f]{16}$/),
  })
  .map(({ b, steps, h, f }) => {
    let at = 0;
    const x = steps.map(([step]) => (at += step));
    return { b, n: at, x, y: steps.map(([, y]) => y), h, f };
  });
const paths = fc.array(fc.constantFrom('seed', 'algorithm', 'team.agents.0.temperature', 'team.dependency'), { maxLength: 3 });
const teaching = fc
  .record({ k: fc.string({ unit: 'grapheme', maxLength: 80 }), h: fc.subarray([...HIDEABLE]), l: paths, o: paths, g: fc.option(fc.record({ m: fc.constantFrom('training' as const, 'heldOut' as const), v: fc.double({ min: 0, max: 1, noNaN: true }) })) })
  .map(({ g, ...rest }) => ({ ...rest, ...(g === null ? {} : { g }) }));
const weights = fc.uint8Array({ minLength: 3, maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString('base64'));

export function parts({ team }: Experiment): fc.Arbitrary<LinkParts> {
  const names = fc.subarray(team.agents.map(({ name }) => name));
  const adapters = fc.tuple(names, fc.string({ maxLength: 40 }), weights).map(([agents, c, w]) => Object.fromEntries(agents.map((name) => [name, { c, w }])));
  return fc.record({ results, adapters, teaching }, { requiredKeys: [] });
}
