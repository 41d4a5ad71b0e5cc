/** Writes what sweeps found into a page of Markdown: tables and pictures, between marks, so that what people wrote around them stays. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { parseResults, type ArmResult, type SweepResults } from '../experiment/sweep-results.ts';
import type { Interval } from '../experiment/statistics.ts';
import { readArguments, UsageError } from './arguments.ts';
import { readDocument } from './named-experiment.ts';
import { sweepFigure } from './sweep-figure.ts';
import type { Command, Terminal } from './terminal.ts';

const HELP = `Put the results of sweeps into a page of Markdown, as tables and pictures.

Usage: npm run --silent marft -- report FILE.json… --page PAGE.md

Each FILE is the sweep.json of one sweep. In PAGE, what stands between <!-- NAME --> and <!-- end NAME --> is written anew, NAME being
the sweep's name; a sweep without these marks is added at the end. Everything else in PAGE stays. Pictures lie beside the files.

Options:
  --page PAGE.md   The page; made where there is none.
  --help           Show this.
`;

export const REPORT_COMMAND: Command = {
  name: 'report',
  summary: 'Put the results of sweeps into a page, with tables and pictures.',
  help: HELP,
  run(args, terminal: Terminal) {
    const { positionals, values } = readArguments('report', args, { page: 'value' });
    const page = values.get('page');
    if (positionals.length === 0) throw new UsageError('"report" needs the results of a sweep.', 'Give the sweep.json that "sweep" wrote.');
    if (page === undefined) throw new UsageError('"report" needs --page.', 'Name a file of Markdown.');
    let text = existsSync(page) ? readFileSync(page, 'utf8') : '';
    for (const file of positionals) {
      const results = parseResults(readDocument(file));
      const picture = join(dirname(file), `${basename(file, '.json')}.svg`);
      writeFileSync(picture, sweepFigure(results));
      text = withSection(text, results.sweep.name, sweepSection(results, relative(dirname(page), picture), relative(dirname(page), file)));
    }
    mkdirSync(dirname(page), { recursive: true });
    writeFileSync(page, text);
    terminal.print(`Written to ${page}.\n`);
    return Promise.resolve(0);
  },
};

/** The page with that sweep's part written anew. */
export function withSection(page: string, name: string, section: string): string {
  const [open, close] = [`<!-- ${name} -->`, `<!-- end ${name} -->`];
  const [start, end] = [page.indexOf(open), page.indexOf(close)];
  const whole = `${open}\n${section}\n${close}`;
  if (start < 0 || end < start) return `${page === '' || page.endsWith('\n') ? page : `${page}\n`}\n## ${name}\n\n${whole}\n`;
  return page.slice(0, start) + whole + page.slice(end + close.length);
}

/** What was claimed and compared, every arm's figures, and the picture. `picture` and `data` are addresses as the page sees them. */
export function sweepSection({ sweep, arms, tuning }: SweepResults, picture: string, data: string): string {
  const rates = [...new Set(tuning.map(({ learningRate }) => learningRate))].sort((a, b) => a - b);
  const tuned = rates.length === 0 ? '' : ` Every arm that trains tried the learning rates ${rates.join(' and ')} on ${seedsInWords(sweep.tune?.seeds ?? [])} and ran with its better one.`;
  return [
    ...(sweep.claim === '' ? [] : [`**Claimed:** ${sweep.claim}`, '']),
    `**Compared:** ${sweep.question}`,
    '',
    `Over ${seedsInWords(sweep.seeds)}; mean and 95 % bootstrap interval.${tuned} All runs: [${basename(data)}](${data}).`,
    '',
    '| arm | learning rate | final reward, sampled | greedy | area under the curve | collapsed | against | difference in final reward | better with probability | difference in area |',
    '|---|---|---|---|---|---|---|---|---|---|',
    ...arms.map((arm) => `| ${row(arm).join(' | ')} |`),
    '',
    `![Training reward by iteration](${picture})`,
  ].join('\n');
}

function row({ arm, learningRate, sampled, greedy, auc, done, collapsed, failed, against, difference }: ArmResult): string[] {
  const lost = failed === 0 ? '' : `, ${failed} failed`;
  return [
    arm,
    learningRate === null ? '–' : String(learningRate),
    interval(sampled),
    interval(greedy),
    interval(auc),
    `${collapsed} of ${done}${lost}`,
    against ?? '–',
    interval(difference?.sampled ?? null, true),
    difference?.sampled ? difference.sampled.probability.toFixed(2) : '–',
    interval(difference?.auc ?? null, true),
  ];
}

function interval(value: Interval | null, signed = false): string {
  if (value === null) return '–';
  const text = (number: number): string => `${signed && number > 0 ? '+' : ''}${number.toFixed(3).replace('-', '−')}`;
  return `${text(value.mean)} (${text(value.low)} to ${text(value.high)})`;
}

function seedsInWords(seeds: readonly number[]): string {
  return `${seeds.length === 1 ? 'seed' : 'seeds'} ${seeds.join(', ')}`;
}
