/** Rows by the name that an experiment gives them: what a task's `services.rows` is. */
import { parseHubId, type HubId } from '../checkpoint/hub-id.ts';
import { PlaygroundError } from '../runtime/errors.ts';
import type { Row, RowSet, RowsRequest, TaskServices } from '../tasks/services.ts';
import type { ByteFile } from './byte-file.ts';
import { datasetFile, findDataset, type DatasetAccess, type HubDataset } from './hub-dataset.ts';
import { openTable, requireColumns } from './table.ts';
import { viewerRows } from './viewer.ts';

export interface GivenFile {
  file: ByteFile;
  /** Hexadecimal, of its content. */
  sha256: string;
}

export interface DataAccess extends DatasetAccess {
  /** The user's file of that hash, or, where none is asked for, the one that there is; null where there is none. */
  userFile(sha256: string | undefined): Promise<GivenFile | null>;
}

/** The first rows of a table, with what it is. */
export interface TablePart {
  columns: readonly string[];
  total: number | null;
  rows: readonly Row[];
}

const HUB = 'hub:';

export function dataServices(access: DataAccess): TaskServices {
  return {
    async rows(request) {
      if (!request.source.startsWith(HUB)) return { ...(await fileRows(request, access)), split: null, splits: [] };
      const dataset = await findDataset(hubIdOf(request.source), access);
      const { config, split, splits } = chooseSplit(dataset, request.config, request.split);
      const { rows } = await readSplit(dataset, config, split, request.limit, access, request.columns);
      return { rows, split, splits } satisfies RowSet;
    },
  };
}

/** The name of a data set in a source. Throws a PlaygroundError (`hub-id`) where it can be none. */
export function hubIdOf(source: string): HubId {
  try {
    return parseHubId(source.startsWith(HUB) ? source.slice(HUB.length) : source);
  } catch (cause) {
    throw new PlaygroundError('hub-id', `"${source.slice(0, 200)}" is no data set of the Hub.`, 'Write owner/name or owner/name@revision, for example openai/gsm8k.', { cause });
  }
}

/** Rows of a split; of all its columns where none are named. */
export async function readSplit(dataset: HubDataset, config: string, split: string, limit: number, access: DatasetAccess, wanted: readonly string[] | null): Promise<TablePart> {
  const name = `${split} of ${dataset.repository}`;
  if (dataset.via === 'viewer') {
    const { columns, total, rows } = await viewerRows(dataset, config, split, limit, access);
    requireColumns(wanted ?? [], columns, name);
    return { columns, total, rows: rows(wanted ?? columns) };
  }
  const { files = [] } = dataset.splits.find((one) => one.config === config && one.split === split) ?? {};
  const all: Row[] = [];
  let columns: readonly string[] = [];
  let total: number | null = 0;
  for (const file of files) {
    if (all.length >= limit) {
      // Nobody has asked how many rows the other files have.
      total = null;
      break;
    }
    const table = await openTable(datasetFile(dataset, file, access));
    requireColumns(wanted ?? [], table.columns, name);
    if (columns.length === 0) columns = table.columns;
    for (const row of await table.rows(wanted ?? columns, limit - all.length)) all.push(row);
    total += table.total;
  }
  return { columns, total, rows: all };
}

/** The subset and split that are meant, and all splits of that subset. Throws a PlaygroundError (`data-split`). */
export function chooseSplit({ repository, splits: all }: HubDataset, config: string | undefined, split: string | undefined): { config: string; split: string; splits: string[] } {
  const configs = [...new Set(all.map((one) => one.config))];
  const chosen = config ?? (configs.includes('default') ? 'default' : configs.includes('main') ? 'main' : configs[0]);
  if (chosen === undefined || !configs.includes(chosen)) {
    throw new PlaygroundError('data-split', `${repository} has no subset "${config ?? ''}".`, `It has: ${configs.slice(0, 20).join(', ')}.`);
  }
  const splits = all.flatMap((one) => (one.config === chosen ? [one.split] : []));
  const found = split ?? (splits.includes('train') ? 'train' : splits[0]);
  if (found === undefined || !splits.includes(found)) {
    throw new PlaygroundError('data-split', `${repository} has no split "${split ?? ''}".`, `It has: ${splits.slice(0, 20).join(', ')}.`);
  }
  return { config: chosen, split: found, splits };
}

async function fileRows({ sha256, columns, limit }: RowsRequest, access: DataAccess): Promise<{ rows: Row[] }> {
  const given = await access.userFile(sha256);
  if (!given) throw new PlaygroundError('data-file-missing', 'The experiment’s problems are in a file that is not here.', 'Choose the file under Data in the page, or name it with --data on the command line.');
  if (sha256 !== undefined && given.sha256 !== sha256) {
    throw new PlaygroundError('data-file-other', `${given.file.name} is not the file that the experiment was made with.`, 'Give that file, or choose this one as new data.');
  }
  const table = await openTable(given.file);
  requireColumns(columns, table.columns, given.file.name);
  return { rows: await table.rows(columns, limit) };
}
