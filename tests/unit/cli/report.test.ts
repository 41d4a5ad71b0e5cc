/** The page of sweeps' results, and that it says what the data beside it say. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { sweepSection, withSection } from '../../../src/cli/report.ts';
import { sweepFigure } from '../../../src/cli/sweep-figure.ts';
import { parseResults, resultsOf, summarize, type RunOutcome } from '../../../src/experiment/sweep-results.ts';
import { parseSweep } from '../../../src/experiment/sweep.ts';
import { marft } from './marft.ts';

const sweep = parseSweep({
  version: 1,
  name: 'test/two',
  question: 'One against the other.',
  base: 'duo-addition',
  arms: [{ name: 'one' }, { name: 'two & <three>', set: ['algorithm.epochs=2'] }],
  seeds: [1, 2],
});
const evaluated = { sampled: 0.9, greedy: 1, baseSampled: 0.3, baseGreedy: 0.1 };
const run = (arm: string, seed: number, rewards: number[]): RunOutcome => ({ status: 'done', arm, seed, learningRate: 0.003, summary: summarize(rewards, evaluated), rewards });
const results = resultsOf(sweep, [], [run('one', 1, [0.2, 0.6]), run('one', 2, [0.4, 0.8]), run('two & <three>', 1, [0.1, 0.2])]);

const place = mkdtempSync(join(tmpdir(), 'marft-report-'));
afterAll(() => rmSync(place, { recursive: true }));

describe('a sweep’s section', () => {
  it('has a line for every arm, with its figures', () => {
    const lines = sweepSection(results, 'a.svg', 'a.json').split('\n');
    expect(lines).toContain('**Compared:** One against the other.');
    expect(lines.find((line) => line.startsWith('| one |'))).toContain('| 0.003 | 0.900 (0.900 to 0.900) |');
    expect(lines.filter((line) => line.startsWith('| '))).toHaveLength(3);
  });

  it('replaces itself in a page and leaves what is around it', () => {
    const page = withSection('# Title\n', 'test/two', 'first');
    expect(page).toContain('# Title');
    const again = withSection(`${page}By hand.\n`, 'test/two', 'second');
    expect(again).toContain('second');
    expect(again).not.toContain('first');
    expect(again.endsWith('By hand.\n')).toBe(true);
  });
});

describe('a sweep’s picture', () => {
  it('draws a line for every arm that has run, through the means of the seeds', () => {
    const picture = sweepFigure(results);
    expect(picture.match(/<polyline/g)).toHaveLength(2);
    // The first iteration's mean is 0.3 of a plot 250 high that starts 12 below the top.
    expect(picture).toContain(`<polyline points="48.0,${(12 + 0.7 * 250).toFixed(1)} `);
    expect(picture).toContain('two &amp; &lt;three&gt;');
  });

  it('exists before anything has run', () => {
    expect(sweepFigure(resultsOf(sweep, [], []))).toMatch(/^<svg [\s\S]*<\/svg>\n$/);
  });
});

describe('"report"', () => {
  it('writes page and picture', async () => {
    writeFileSync(join(place, 'two.json'), JSON.stringify(results));
    expect(await marft('report', join(place, 'two.json'), '--page', join(place, 'page.md'))).toMatchObject({ code: 0, err: '' });
    expect(readFileSync(join(place, 'page.md'), 'utf8')).toContain('![Training reward by iteration](two.svg)');
    expect(existsSync(join(place, 'two.svg'))).toBe(true);
  });

  it.each([[['report'], /needs the results/], [['report', 'x.json'], /needs --page/], [['report', '/nowhere.json', '--page', 'p.md'], /nowhere/]])('refuses %j', async (args, sentence) => {
    const { code, err } = await marft(...args);
    expect(code).toBeGreaterThan(0);
    expect(err).toMatch(sentence);
  });
});

const DOCS = fileURLToPath(new URL('../../../docs/', import.meta.url));
const DATA = join(DOCS, 'ablations');

describe.runIf(existsSync(DATA))('the page of the paper’s comparisons', () => {
  const files = existsSync(DATA) ? readdirSync(DATA).filter((name) => name.endsWith('.json')) : [];
  it.each(files)('says what %s says', (file) => {
    const found = parseResults(JSON.parse(readFileSync(join(DATA, file), 'utf8')));
    const picture = file.replace('.json', '.svg');
    expect(readFileSync(join(DOCS, 'ablations.md'), 'utf8')).toContain(sweepSection(found, `ablations/${picture}`, `ablations/${file}`));
    expect(readFileSync(join(DATA, picture), 'utf8')).toBe(sweepFigure(found));
  });
});
