/** A table in whichever of the formats that data sets come in. */
import { PlaygroundError } from '../runtime/errors.ts';
import type { Row } from '../tasks/services.ts';
import type { ByteFile } from './byte-file.ts';

export interface Table {
  columns: readonly string[];
  /** Rows that it has. */
  total: number;
  /** The first `limit` rows, of these columns alone, every cell as text. */
  rows(columns: readonly string[], limit: number): Promise<Row[]>;
}

/** The formats by the ending of a file's name. */
const ENDING = /\.(parquet|jsonl|ndjson|json|csv|tsv)$/i;

/** Bytes of a file of text, which is held in memory while it is read. */
const MAX_TEXT_BYTES = 256 * 1024 * 1024;

/** The format of that file in small letters; null where it is none that can be read. */
export function formatOf(name: string): string | null {
  return ENDING.exec(name)?.[1]?.toLowerCase() ?? null;
}

/**
 * Reads what columns it has; of text, all of it. Throws a PlaygroundError that names the line or what is broken (`data-broken`, `data-format`,
 * `data-too-large`).
 */
export async function openTable(file: ByteFile): Promise<Table> {
  const format = formatOf(file.name);
  if (format === null) {
    throw new PlaygroundError('data-format', `${file.name} is no table that can be read here.`, 'Parquet, JSON Lines (.jsonl), JSON, CSV and TSV can.');
  }
  if (file.bytes === 0) throw new PlaygroundError('data-broken', `${file.name} is empty.`, 'Choose another file.');
  if (format === 'parquet') {
    const { parquetTable } = await import('./parquet-table.ts');
    return parquetTable(file);
  }
  if (file.bytes > MAX_TEXT_BYTES) {
    throw new PlaygroundError('data-too-large', `${file.name} has ${Math.round(file.bytes / 1e6)} MB; ${Math.round(MAX_TEXT_BYTES / 1e6)} can be read of a file of text.`, 'Cut it into smaller files, or save it as Parquet.');
  }
  const text = decode(await file.read(0, file.bytes), file.name);
  const { csvTable, jsonLinesTable, jsonTable } = await import('./text-tables.ts');
  if (format === 'csv' || format === 'tsv') return csvTable(text, file.name, format === 'tsv' ? '\t' : undefined);
  return format === 'json' ? jsonTable(text, file.name) : jsonLinesTable(text, file.name);
}

/** Throws a PlaygroundError (`data-column`) for the first of the columns that there is not. */
export function requireColumns(wanted: readonly string[], columns: readonly string[], name: string): void {
  const missing = wanted.find((column) => !columns.includes(column));
  if (missing === undefined) return;
  throw new PlaygroundError('data-column', `${name} has no column "${missing}".`, `Its columns are: ${columns.slice(0, 30).join(', ')}${columns.length > 30 ? ', …' : ''}.`);
}

/** UTF-8, or UTF-16 where it begins by saying so, as spreadsheets write it. */
function decode(bytes: Uint8Array, name: string): string {
  const utf16 = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : null;
  try {
    return new TextDecoder(utf16 ?? 'utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new PlaygroundError('data-broken', `${name} is not written in UTF-8.`, 'Save it as UTF-8 and choose it again.', { cause });
  }
}
