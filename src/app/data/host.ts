/** The worker's end: reads tables, so that the page never waits for a large one. */
import { chosenFile } from '../../data/byte-file.ts';
import { findDataset } from '../../data/hub-dataset.ts';
import { chooseSplit, dataServices, hubIdOf, readSplit } from '../../data/rows.ts';
import { openTable } from '../../data/table.ts';
import { Random } from '../../random/random.ts';
import { CODE, codeTask, type CodeTask } from '../../tasks/code/code.ts';
import { dataset, type DatasetTask } from '../../tasks/dataset/dataset.ts';
import type { Row, TaskServices } from '../../tasks/services.ts';
import type { Reply } from '../trainer/protocol.ts';
import { reply } from '../trainer/reply.ts';
import { hashOf, keepFile, pageAccess } from './page-services.ts';
import type { Checked, DataService, FileData, HubData, WantedTask } from './protocol.ts';

/** Rows that are shown, and characters of a cell. */
const SHOWN_ROWS = 8;
const SHOWN_CHARACTERS = 2000;

export class DataHost implements DataService {
  lookUp(source: string, config: string | undefined, split: string | undefined, token: string | null): Promise<Reply<HubData>> {
    return reply(async () => {
      const access = await pageAccess(token);
      const found = await findDataset(hubIdOf(source), access);
      const { repository, licence, via, commit, splits } = found;
      const chosen = chooseSplit(found, config, split);
      const table = await readSplit(found, chosen.config, chosen.split, SHOWN_ROWS, access, null);
      return {
        kind: 'hub',
        source: `hub:${repository}${via === 'files' ? `@${commit}` : ''}`,
        repository,
        licence,
        commit: via === 'files' ? commit : null,
        splits: splits.map(({ config: subset, split: name, bytes }) => ({ config: subset, split: name, bytes })),
        config: chosen.config,
        split: chosen.split,
        table: { ...table, rows: table.rows.map(shown) },
      };
    });
  }

  readFile(file: File): Promise<Reply<FileData>> {
    return reply(async () => {
      const sha256 = await hashOf(file);
      const { columns, total, rows } = await openTable(chosenFile(file, file.name));
      return { kind: 'file', file, sha256, table: { columns, total, rows: (await rows(columns, SHOWN_ROWS)).map(shown) } };
    });
  }

  check(wanted: WantedTask, file: File | null, token: string | null): Promise<Reply<Checked>> {
    return reply(async () => {
      const { sha256 } = wanted.options;
      if (file && sha256 !== undefined) await keepFile(file, sha256);
      const task = await readTask(wanted, dataServices(await pageAccess(token)));
      const { question, answer } = task.train(new Random(1));
      return { ...task.counts(), example: { question, answer } };
    });
  }
}

/** The task with its problems; its programs are run where the team is trained. */
async function readTask(wanted: WantedTask, services: TaskServices): Promise<CodeTask | DatasetTask> {
  if (wanted.name === CODE) {
    const task = codeTask(wanted.options);
    await task.read(services);
    return task;
  }
  const task = dataset(wanted.options);
  await task.prepare(services);
  return task;
}

/** Cells as long as anybody reads them. */
function shown(row: Row): Row {
  return Object.fromEntries(Object.entries(row).map(([column, cell]) => [column, cell.length > SHOWN_CHARACTERS ? `${cell.slice(0, SHOWN_CHARACTERS)}…` : cell]));
}
