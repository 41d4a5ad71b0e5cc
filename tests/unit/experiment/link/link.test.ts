import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { deflateSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { decodeLink, encodeLink, MAX_COMPRESSED } from '../../../../src/experiment/link/link.ts';
import { applyOverrides } from '../../../../src/experiment/overrides.ts';
import { PRESETS, presetByName } from '../../../../src/experiment/presets.ts';
import { parseExperiment } from '../../../../src/experiment/schema.ts';
import { PlaygroundError } from '../../../../src/runtime/errors.ts';
import { experiments } from '../experiment-arbitrary.ts';
import { parts } from './parts-arbitrary.ts';

/** `LINK_RUNS=10000 npx vitest run tests/unit/experiment/link.test.ts` tries more. */
const RUNS = Number(process.env['LINK_RUNS'] ?? 500);

const CORPUS = new URL('../../../links/', import.meta.url);

function linkOf(document: unknown): string {
  return `x=${Buffer.from(deflateSync(new TextEncoder().encode(typeof document === 'string' ? document : JSON.stringify(document)), { level: 9 })).toString('base64url')}`;
}

/** The code of the error that a link is refused with; "opened" when it is not. Anything but a typed refusal fails the test. */
function verdict(link: string): string {
  try {
    const { experiment } = decodeLink(link);
    expect(parseExperiment(experiment)).toEqual(experiment);
    return 'opened';
  } catch (error) {
    if (!(error instanceof PlaygroundError)) throw error;
    expect(error.message).toMatch(/[.?)]$/);
    return error.code;
  }
}

describe('a link', () => {
  it('opens as the experiment that it was made of', () => {
    fc.assert(fc.property(experiments, (experiment) => void expect(decodeLink(encodeLink(experiment)).experiment).toEqual(experiment)), { numRuns: RUNS });
  });

  it('brings along what it was given', () => {
    const shared = experiments.chain((experiment) => fc.tuple(fc.constant(experiment), parts(experiment)));
    fc.assert(
      fc.property(shared, ([experiment, given]) => {
        const opened = decodeLink(encodeLink(experiment, given));
        expect(opened.experiment).toEqual(experiment);
        expect(opened.parts).toEqual(given);
      }),
      { numRuns: RUNS },
    );
  });

  it('says the preset alone where nothing is changed, and then what is', () => {
    for (const { name, experiment } of PRESETS) expect(decodeLink(encodeLink(experiment))).toEqual({ experiment, preset: name, changes: { set: {}, dropped: [] }, parts: {} });
    const changed = applyOverrides(presetByName('duo-addition'), ['team.agents.1.temperature=0.5', 'algorithm.method=ippo']);
    expect(decodeLink(encodeLink(changed)).changes.set).toEqual({ 'team.agents.1.temperature': 0.5, 'algorithm.method': 'ippo' });
    expect(encodeLink(changed).length).toBeLessThan(160);
  });

  it('may be a whole address, its fragment, or what stands in it', () => {
    const experiment = presetByName('secret');
    const link = encodeLink(experiment);
    for (const form of [link, `#${link}`, `https://example.org/marft/?backend=wasm#${link}`, link.slice(2)]) expect(decodeLink(form).experiment).toEqual(experiment);
  });
});

describe('what is no link', () => {
  it('is refused by name or is a valid experiment, never an exception, whatever letters of a link are changed', () => {
    const shared = experiments.chain((experiment) => parts(experiment).map((given) => encodeLink(experiment, given)));
    const mutation = fc.tuple(shared, fc.array(fc.tuple(fc.nat(), fc.constantFrom(...'ABCxyz019-_=%#')), { minLength: 1, maxLength: 4 }));
    fc.assert(
      fc.property(mutation, ([link, changes]) => {
        const letters = [...link];
        for (const [place, letter] of changes) letters[place % letters.length] = letter;
        verdict(letters.join(''));
      }),
      { numRuns: RUNS },
    );
  });

  it('is refused by name when it is random bytes, random text, or random JSON', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => void verdict(`x=${Buffer.from(bytes).toString('base64url')}`)), { numRuns: RUNS });
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void verdict(text)), { numRuns: RUNS });
    fc.assert(fc.property(fc.dictionary(fc.constantFrom('v', 'p', 's', 'd', 'r', 'a', 't', '__proto__'), fc.jsonValue()), (json) => void verdict(linkOf(json))), { numRuns: RUNS });
  });

  it('is refused by name when paths or values are random', () => {
    const paths = fc.constantFrom('team.agents.0.temperature', 'team.agents', 'task.options.digits', 'algorithm', 'seed', 'team.agents.9', '', '.', 'team.agents.length', 'name.length');
    const payload = fc.record({ v: fc.constantFrom(1, 2), p: fc.constantFrom('duo-addition', 'none'), s: fc.dictionary(paths, fc.jsonValue()), d: fc.array(paths, { maxLength: 2 }) });
    fc.assert(fc.property(payload, (one) => void verdict(linkOf(one))), { numRuns: RUNS });
    const carried = fc.record({ v: fc.constant(2), p: fc.constant('secret'), r: fc.jsonValue(), a: fc.jsonValue(), t: fc.dictionary(fc.constantFrom('k', 'h', 'l', 'o', 'g'), fc.jsonValue()) }, { requiredKeys: ['v', 'p'] });
    fc.assert(fc.property(carried, (one) => void verdict(linkOf(one))), { numRuns: RUNS });
  });

  const preset = { v: 1, p: 'duo-addition' };
  const second = { v: 2, p: 'duo-addition' };
  it.each<[string, string, string]>([
    ['nothing', '', 'link-unreadable'],
    ['a key that reaches a prototype', linkOf('{"v":1,"p":"secret","s":{"__proto__":{"a":1}}}'), 'link-unreadable'],
    ['a path that reaches a prototype', linkOf({ ...preset, s: { 'constructor.prototype.a': 1 } }), 'link-unreadable'],
    ['a value that reaches a prototype', linkOf('{"v":1,"p":"secret","s":{"team":{"__proto__":{"a":1}}}}'), 'link-unreadable'],
    ['NaN', linkOf('{"v":1,"p":"secret","s":{"seed":NaN}}'), 'link-unreadable'],
    ['1e309', linkOf('{"v":1,"p":"secret","s":{"algorithm.gammaToken":1e309}}'), 'link-unreadable'],
    ['deep nesting', linkOf(`{"v":1,"p":"secret","s":{"team":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`), 'link-unreadable'],
    ['an unknown key', linkOf({ ...preset, code: 'alert(1)' }), 'link-unreadable'],
    ['an unknown field', linkOf({ ...preset, s: { sed: 1 } }), 'experiment-invalid'],
    ['a value out of bounds', linkOf({ ...preset, s: { seed: -1 } }), 'experiment-invalid'],
    ['an unknown preset', linkOf({ v: 1, p: 'nowhere' }), 'preset-unknown'],
    ['an unknown task', linkOf({ ...preset, s: { 'task.name': 'nowhere' } }), 'task-unknown'],
    ['a path into a text', linkOf({ ...preset, s: { 'name.a.b': 1 } }), 'link-unreadable'],
    ['an entry far behind the end of a list', linkOf({ ...preset, s: { 'team.agents.4294967294': 1 } }), 'link-unreadable'],
    ['the length of a list', linkOf({ ...preset, s: { 'team.agents.length': 1e9 } }), 'link-unreadable'],
    ['parts in the version that had none', linkOf({ ...preset, t: { k: 'Add.' } }), 'link-unreadable'],
    ['a curve whose points are not in order', linkOf({ ...second, r: { b: 'wasm', n: 2, x: [2, 1], y: [0, 0], f: '0123456789abcdef' } }), 'link-unreadable'],
    ['a curve of unequal halves', linkOf({ ...second, r: { b: 'wasm', n: 2, x: [1, 2], y: [0], f: '0123456789abcdef' } }), 'link-unreadable'],
    ['a curve of too many points', linkOf({ ...second, r: { b: 'wasm', n: 101, x: Array.from({ length: 101 }, (_, k) => k + 1), y: Array(101).fill(0), f: '0123456789abcdef' } }), 'link-unreadable'],
    ['a reward of 1e309', linkOf('{"v":2,"p":"duo-addition","r":{"b":"wasm","n":1,"x":[1],"y":[1e309],"f":"0123456789abcdef"}}'), 'link-unreadable'],
    ['an adapter that is not base64', linkOf({ ...second, a: { solver: { c: '{}', w: '<script>' } } }), 'link-unreadable'],
    ['an adapter of nobody', linkOf({ ...second, a: { nobody: { c: '{}', w: 'AAAA' } } }), 'link-unreadable'],
    ['a part of the page that cannot be hidden', linkOf({ ...second, t: { h: ['trouble'] } }), 'link-unreadable'],
    ['a locked prototype', linkOf({ ...second, t: { l: ['__proto__'] } }), 'link-unreadable'],
    ['a target above all rewards', linkOf({ ...second, t: { g: { m: 'training', v: 2 } } }), 'link-unreadable'],
    ['a newer version', linkOf({ v: 3, anything: true }), 'link-version'],
    ['a link that is too long', `x=${'A'.repeat(MAX_COMPRESSED * 2)}`, 'link-too-large'],
    ['a bomb of a gigabyte', linkOf(`{"v":1,"p":"${'a'.repeat(40_000_000)}"}`), 'link-too-large'],
    ['not UTF-8', `x=${Buffer.from(deflateSync(Uint8Array.from([0xff, 0xfe]))).toString('base64url')}`, 'link-unreadable'],
  ])('is refused by name: %s', (_, link, code) => {
    expect(verdict(link)).toBe(code);
  });

  it('expands no further than allowed, however much is in it', () => {
    const bomb = linkOf(`{"v":1,"p":"${'a'.repeat(40_000_000)}"}`);
    const before = process.memoryUsage().arrayBuffers;
    expect(verdict(bomb)).toBe('link-too-large');
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024);
  });

  it('refuses to make a link that it would refuse to open', () => {
    const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';
    let state = 1;
    const noise = (): string => Array.from({ length: 4000 }, () => letters[(state = (state * 48271) % 2147483647) % 36]).join('');
    const agents = Array.from({ length: 8 }, (_, k) => ({ name: `agent-${k}`, profile: noise(), instruction: noise(), role: k === 7 ? 'answers' : 'speaks' }));
    const large = parseExperiment({ ...presetByName('duo-addition'), team: { agents } });
    const link = encodeLink(large);
    expect(link.length).toBeGreaterThan(50_000);
    expect(decodeLink(link).experiment).toEqual(large);
  });
});

describe('links that were published', () => {
  it.each(readdirSync(CORPUS))('%s still opens as what it was made of', (file) => {
    const { link, experiment, parts: carried } = JSON.parse(readFileSync(new URL(file, CORPUS), 'utf8')) as { link: string; experiment: unknown; parts?: unknown };
    const opened = decodeLink(link);
    // Fields that came later have their defaults.
    expect(opened.experiment).toEqual(parseExperiment(experiment));
    expect(opened.parts).toEqual(carried ?? {});
  });
});
