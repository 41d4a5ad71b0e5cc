/** `eval` and `chat` on a run of the smallest model: what they say of base and trained team, and what they refuse. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { marft } from './marft.ts';

const folder = mkdtempSync(join(tmpdir(), 'marft-eval-'));
const run = join(folder, 'run');
const FEW = ['--set', 'schedule.finalEvalProblems=3'];

beforeAll(async () => {
  expect(await marft('run', 'micro-addition', '--iterations', '1', ...FEW, '--out', run)).toMatchObject({ code: 0 });
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Measured {
  sampled: number;
  greedy: number;
  passAtK: Record<string, number>;
}

describe('marft eval', () => {
  it('measures base and trained, and an adapter that has not moved exactly as the base', async () => {
    const { code, out } = await marft('eval', run, '--k', '1,2', '--json');
    expect(code).toBe(0);
    const { problems, samples, base, trained } = JSON.parse(out) as { problems: number; samples: number; base: Measured; trained: Measured };
    expect({ problems, samples }).toEqual({ problems: 3, samples: 2 });
    expect(Object.keys(base.passAtK)).toEqual(['1', '2']);
    const still = join(folder, 'still');
    await marft('run', 'micro-addition', '--iterations', '1', ...FEW, '--set', 'algorithm.method=none', '--out', still);
    const unmoved = JSON.parse((await marft('eval', still, '--k', '1', '--json')).out) as { base: Measured; trained: Measured };
    expect(unmoved.trained).toEqual(unmoved.base);
    expect(Object.keys(trained)).toEqual(['sampled', 'greedy', 'passAtK']);
  });

  it('measures a preset as its base model plays it', async () => {
    const { out } = await marft('eval', 'micro-addition', '--problems', '2', '--k', '1');
    expect(out).toMatch(/^2 held-out problems, 1 attempts each; chance 0\.\d+\nbase {4} {2}sampled \d\.\d{3} {2}greedy \d\.\d{3} {2}pass@1 \d\.\d{3}\n$/);
  });

  it('refuses a folder without the adapter of an agent', async () => {
    const other = join(folder, 'other');
    cpSync(run, other, { recursive: true });
    rmSync(join(other, 'adapters', 'solver'), { recursive: true });
    expect((await marft('eval', other)).err).toContain(`There is no adapter of "solver" in ${join(other, 'adapters')}.`);
  });

  it.each<[string[], string]>([
    [['eval'], '"eval" takes one run\'s folder, preset or file.'],
    [['eval', 'micro-addition', '--k', '0'], '"0" is no list of k.'],
    [['eval', 'micro-addition', '--k', '8', '--samples', '4'], '4 attempts do not do for pass@8.'],
    [['eval', 'micro-addition', '--problems', '0'], 'At least one problem is needed.'],
    [['chat'], '"chat" takes one run\'s folder, preset or file.'],
    [['link'], '"link" needs to know which way.'],
    [['link', 'encode'], '"link encode" takes one experiment.'],
    [['link', 'decode', '#x=AAAA'], 'The link is damaged or incomplete.'],
  ])('refuses %j in a sentence and with exit code 2', async (args, sentence) => {
    const { code, out, err } = await marft(...args);
    expect(err).toContain(sentence);
    expect({ code, out }).toEqual({ code: 2, out: '' });
  });
});

describe('marft chat', () => {
  it('lets every agent speak, as base and as trained, the same words for the same question', async () => {
    const ask = () => marft('chat', run, '--question', '1+2=?', '--json');
    const { code, out } = await ask();
    expect(code).toBe(0);
    const { question, base, trained } = JSON.parse(out) as { question: string; base: { agent: string; text: string }[]; trained: { agent: string; text: string }[] };
    expect(question).toBe('1+2=?');
    for (const team of [base, trained]) expect(team.map(({ agent }) => agent)).toEqual(['reasoner', 'solver']);
    expect((await ask()).out).toBe(out);
    // Without JSON the words are printed as they come; they are the same.
    const line = (title: string, [first, second]: { agent: string; text: string }[]): string =>
      `${title.padEnd(8)}  ${first?.agent}: ${first?.text}\n${' '.repeat(8)}  ${second?.agent}: ${second?.text}\n`;
    expect((await marft('chat', run, '--question', '1+2=?')).out).toBe(line('base', base) + line('trained', trained));
  });
});

describe('marft link', () => {
  it('encodes what decodes to the same experiment', async () => {
    const { out } = await marft('link', 'encode', 'secret', '--set', 'seed=5', '--address', 'https://example.org/marft/');
    expect(out).toMatch(/^https:\/\/example\.org\/marft\/#x=[\w-]+\n$/);
    expect((await marft('link', 'decode', out.trim())).out).toBe('secret, with these changes:\n  seed=5\n');
    const decoded = JSON.parse((await marft('link', 'decode', out.trim(), '--json')).out) as { seed: number; name: string };
    expect(decoded).toMatchObject({ name: 'secret', seed: 5 });
  });
});
