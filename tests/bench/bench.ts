/** What a bench is: it measures something in one run and reports it as tables. */

export interface BenchOptions {
  /** How often each side is timed; the sides take turns. */
  repetitions: number;
  /** A Python with the packages of tests/reference/requirements.txt; undefined where none was named. */
  python: string | undefined;
  /** Where a bench may leave what is long to make. */
  scratch: string;
}

/** Rows that share their columns, by heading. Numbers are as measured; printing rounds them. */
export interface BenchTable {
  title: string;
  rows: Record<string, string | number>[];
  /** What a reader has to know to judge the numbers, a sentence each. */
  notes: string[];
}

export interface Bench {
  /** What `npm run bench -- NAME` takes. */
  name: string;
  /** A line for the list of benches. */
  summary: string;
  /** Whether it takes a Python: without one it is left out. */
  needsPython?: boolean;
  /** Throws when the sides do not agree on what they compute: such times would mean nothing. */
  run(options: BenchOptions): Promise<BenchTable[]>;
}
