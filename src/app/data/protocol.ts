/** What the page and the worker that reads data say to each other. */
import type { TablePart } from '../../data/rows.ts';
import type { CODE, CodeOptions } from '../../tasks/code/code.ts';
import type { DATASET, DatasetOptions } from '../../tasks/dataset/dataset.ts';
import type { Problem } from '../../tasks/types.ts';
import type { Reply } from '../trainer/protocol.ts';

/** A data set of the Hub, and the first rows of one of its splits. */
export interface HubData {
  kind: 'hub';
  /** As an experiment names it, at its commit where it has one. */
  source: string;
  repository: string;
  licence: string | null;
  /** Null: from the dataset viewer, which knows the newest alone. */
  commit: string | null;
  splits: readonly { config: string; split: string; bytes: number }[];
  config: string;
  split: string;
  table: TablePart;
}

export interface FileData {
  kind: 'file';
  file: File;
  sha256: string;
  table: TablePart;
}

/** The task that a table is to become. */
export type WantedTask = { name: typeof DATASET; options: DatasetOptions } | { name: typeof CODE; options: CodeOptions };

/** What a run would have. */
export interface Checked {
  train: number;
  heldOut: number;
  /** Rows without a question or an answer, or without tests. */
  leftOut: number;
  example: Pick<Problem, 'question' | 'answer'>;
}

export interface DataService {
  /** Asks the Hub what there is, and reads the first rows of a split: the usual one, where none is named. */
  lookUp(source: string, config: string | undefined, split: string | undefined, token: string | null): Promise<Reply<HubData>>;
  readFile(file: File): Promise<Reply<FileData>>;
  /** Keeps a file for training; reads all rows; says what the task has. */
  check(task: WantedTask, file: File | null, token: string | null): Promise<Reply<Checked>>;
}
