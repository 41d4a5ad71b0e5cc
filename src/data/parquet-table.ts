/** Tables in Parquet's format: only the columns and groups of rows that are wanted are read. */
import { parquetMetadataAsync, parquetReadObjects, parquetSchema, type AsyncBuffer, type FileMetaData } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { PlaygroundError } from '../runtime/errors.ts';
import type { ByteFile } from './byte-file.ts';
import { rowOf } from './cell-text.ts';
import type { Table } from './table.ts';

/** Bytes that the wanted columns may have once they are unpacked. */
const MAX_UNPACKED_BYTES = 1e9;
/** Bytes of its end that are read at first, where it says what is in it; mostly all of that. */
const FOOTER_BYTES = 64 * 1024;

export async function parquetTable(file: ByteFile): Promise<Table> {
  const buffer: AsyncBuffer = {
    byteLength: file.bytes,
    async slice(start, end = file.bytes) {
      const bytes = await file.read(start < 0 ? file.bytes + start : start, end);
      return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
    },
  };
  const metadata = await explained(file.name, () => parquetMetadataAsync(buffer, { initialFetchSize: FOOTER_BYTES }));
  const columns = parquetSchema(metadata).children.map(({ element }) => element.name);
  return {
    columns,
    total: Number(metadata.num_rows),
    async rows(wanted, limit) {
      refuseTooLarge(file.name, metadata, wanted, limit);
      const rowEnd = Math.min(limit, Number(metadata.num_rows));
      const records = await explained(file.name, () => parquetReadObjects({ file: buffer, metadata, columns: [...wanted], rowEnd, compressors }));
      return records.map((record: Record<string, unknown>) => rowOf(record, wanted));
    },
  };
}

/** Before anything is unpacked. Throws a PlaygroundError (`data-too-large`). */
export function refuseTooLarge(name: string, { row_groups: groups }: FileMetaData, wanted: readonly string[], limit: number): void {
  let rows = 0;
  let bytes = 0;
  for (const group of groups) {
    if (rows >= limit) break;
    rows += Number(group.num_rows);
    for (const { meta_data: column } of group.columns) {
      if (column && wanted.includes(column.path_in_schema[0] ?? '')) bytes += Number(column.total_uncompressed_size);
    }
  }
  if (bytes <= MAX_UNPACKED_BYTES) return;
  throw new PlaygroundError('data-too-large', `The wanted columns of ${name} have ${Math.round(bytes / 1e6)} MB.`, 'Read fewer rows (the limit), or cut the file into smaller ones.');
}

/** What the network or the file's owner says stays as it is; anything else is about what stands in the file. */
async function explained<T>(name: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof PlaygroundError) throw cause;
    const reason = (cause instanceof Error ? cause.message : String(cause)).slice(0, 160);
    throw new PlaygroundError('data-broken', `${name} is not a whole Parquet file: ${reason}.`, 'Save or download it again, or choose another file.', { cause });
  }
}
