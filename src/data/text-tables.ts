/** Tables in files of text. What is wrong with one is said with the number of its line, from 1. */
import Papa from 'papaparse';
import { PlaygroundError } from '../runtime/errors.ts';
import { rowOf } from './cell-text.ts';
import { jsonFaultLine } from './json-fault.ts';
import type { Table } from './table.ts';

type JsonRecord = Record<string, unknown>;

/** Columns that are told apart; further ones are there, but not listed. */
const MAX_COLUMNS = 1000;

/** A JSON object a line; empty lines are passed over. */
export function jsonLinesTable(text: string, name: string): Table {
  const records: JsonRecord[] = [];
  text.split('\n').forEach((line, index) => {
    if (line.trim() === '') return;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch (cause) {
      throw broken(`Line ${index + 1} of ${name} is not JSON: ${reasonOf(cause)}.`, 'Every line has to be a JSON object of its own, like {"question": "…", "answer": "…"}.', cause);
    }
    if (!isRecord(value)) throw broken(`Line ${index + 1} of ${name} is not a JSON object.`, 'Every line has to be one, like {"question": "…", "answer": "…"}.');
    records.push(value);
  });
  return recordsTable(records, name);
}

/** A list of objects, or an object in which there is one such list. */
export function jsonTable(text: string, name: string): Table {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const line = jsonFaultLine(text);
    throw broken(`${name} is not JSON${line === null ? '' : `, at line ${line}`}: ${reasonOf(cause)}.`, 'Correct it there. A file with an object on every line has to end in .jsonl.', cause);
  }
  const list = Array.isArray(value) ? (value as unknown[]) : isRecord(value) ? Object.values(value).find((part): part is unknown[] => Array.isArray(part)) : undefined;
  if (!list) throw broken(`${name} holds no list of rows.`, 'Write [{"question": "…", "answer": "…"}, …].');
  const records = list.map((item, index) => {
    if (!isRecord(item)) throw broken(`Row ${index + 1} of ${name} is not a JSON object.`, 'Every row has to be one, like {"question": "…", "answer": "…"}.');
    return item;
  });
  return recordsTable(records, name);
}

/** Its first line names the columns; where no delimiter is given, it is the one that divides that line the most. */
export function csvTable(marked: string, name: string, given?: string): Table {
  const text = marked.replace(/^\ufeff/, '');
  const { data, errors } = Papa.parse<string[]>(text, { header: false, delimiter: given ?? delimiterOf(text) });
  const lines = firstLines(data);
  const fault = errors.find(({ type }) => type === 'Quotes');
  if (fault) throw broken(`Line ${lines[fault.row ?? 0] ?? 1} of ${name}: ${fault.message}.`, 'A field in quotation marks has to end with one; within it they are doubled.');
  const header = data[0]?.map((column) => column.trim()) ?? [];
  if (header.every((column) => column === '')) throw broken(`The first line of ${name} names no columns.`, 'Write their names there, like question,answer.');
  const twice = header.find((column, index) => header.indexOf(column) !== index);
  if (twice !== undefined) throw broken(`Line 1 of ${name} has two columns named "${twice}".`, 'Rename one of them.');
  const records: string[][] = [];
  data.forEach((fields, index) => {
    if (index === 0 || (fields.length === 1 && fields[0]?.trim() === '')) return;
    if (fields.length !== header.length) {
      throw broken(`Line ${lines[index] ?? index + 1} of ${name} has ${fields.length === 1 ? 'one field' : `${fields.length} fields`} where the first line names ${header.length}.`, 'Put a field that holds the separator or a line break into quotation marks.');
    }
    records.push(fields);
  });
  const places = new Map(header.map((column, index) => [column, index]));
  return {
    columns: header,
    total: records.length,
    rows: (columns, limit) => Promise.resolve(records.slice(0, limit).map((fields) => Object.fromEntries(columns.map((column) => [column, fields[places.get(column) ?? -1] ?? ''])))),
  };
}

function delimiterOf(text: string): string {
  const columns = (delimiter: string): number => Papa.parse<string[]>(text, { header: false, delimiter, preview: 1 }).data[0]?.length ?? 0;
  return [',', ';', '\t', '|'].reduce((best, one) => (columns(one) > columns(best) ? one : best));
}

function recordsTable(records: readonly JsonRecord[], name: string): Table {
  if (records.length === 0) throw broken(`${name} has no rows.`, 'Choose another file.');
  const columns = new Set<string>();
  for (const record of records) for (const column of Object.keys(record)) if (columns.size < MAX_COLUMNS) columns.add(column);
  return { columns: [...columns], total: records.length, rows: (wanted, limit) => Promise.resolve(records.slice(0, limit).map((record) => rowOf(record, wanted))) };
}

/** The line on which each row begins: a field in quotation marks may have several. */
function firstLines(rows: readonly (readonly string[])[]): number[] {
  let line = 1;
  return rows.map((fields) => {
    const first = line;
    line += 1 + fields.reduce((sum, field) => sum + (field.match(/\r\n|\r|\n/g)?.length ?? 0), 0);
    return first;
  });
}

/** The engine's words, short and on one line: they quote the file. */
function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ').slice(0, 160);
}

function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function broken(message: string, hint: string, cause?: unknown): PlaygroundError {
  return new PlaygroundError('data-broken', message, hint, { cause });
}
