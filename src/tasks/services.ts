/** What a task may ask of the world around it, by the names that an experiment bears. A task itself reaches for nothing. */
import { PlaygroundError } from '../runtime/errors.ts';
import type { Sandbox } from '../sandbox/types.ts';

/** A row of a table, column by column, every cell as text: untrusted. */
export type Row = Readonly<Record<string, string>>;

export interface RowsRequest {
  /** `hub:owner/name` with or without `@revision`, or `file`: the one that the user has given. */
  source: string;
  /** SHA-256 in hexadecimal of the file that is meant; absent: whichever it is. */
  sha256?: string | undefined;
  /** A subset and a split of a data set of the Hub; absent: its only or usual one. */
  config?: string | undefined;
  split?: string | undefined;
  /** Columns that the rows must have; no others are read. */
  columns: readonly string[];
  /** The first so many rows; fewer where there are not so many. */
  limit: number;
}

export interface RowSet {
  rows: readonly Row[];
  /** The split that was read, and all that the subset has; none of a file. */
  split: string | null;
  splits: readonly string[];
}

export interface TaskServices {
  /** Throws PlaygroundErrors where there is no such table, column or connection. */
  rows(request: RowsRequest): Promise<RowSet>;
  /** Where programs that nobody trusts are run; absent: nowhere. */
  sandbox?: Sandbox | undefined;
}

/** For where there is nothing to ask. */
export const NO_SERVICES: TaskServices = {
  rows: ({ source }) =>
    Promise.reject(new PlaygroundError('data-unavailable', `The data of ${source} cannot be read here.`, 'Run the experiment in the page or with "marft run".')),
};
