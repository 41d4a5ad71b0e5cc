/** What a bench found, on the terminal and in a file. */
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import type { Bench, BenchTable } from './bench.ts';
import { short } from './timing.ts';

/** A table in Markdown, as docs/results.md has them. */
export function markdown({ title, rows, notes }: BenchTable): string {
  const columns = Object.keys(rows[0] ?? {});
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const cell = (value: string | number | undefined): string => (typeof value === 'number' ? short(value) : (value ?? ''));
  const body = rows.map((row) => line(columns.map((column) => cell(row[column]))));
  return [`${title}\n`, line(columns), line(columns.map(() => '---')), ...body, '', ...notes.map((note) => `- ${note}`), ''].join('\n');
}

/** Writes DIR/NAME.json and returns its path. Absolute times are of the machine named in it; ratios travel better. */
export async function save(folder: string, { name }: Bench, repetitions: number, tables: readonly BenchTable[]): Promise<string> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${name}.json`);
  const machine = { processor: cpus()[0]?.model ?? 'unknown', cores: cpus().length, node: process.version };
  await writeFile(file, `${JSON.stringify({ bench: name, repetitions, machine, tables }, null, 2)}\n`);
  return file;
}
