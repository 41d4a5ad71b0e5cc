/** Sets of programming problems that have a name of their own here: where they are on the Hub, and how they write their problems down. */
import type { Format } from './formats.ts';

export interface CodeSet {
  title: string;
  /** As a source of rows. */
  source: string;
  format: Format;
  /** The subset that is read unless another one is named. */
  config: string;
}

export const CODE_SETS = {
  deepcoder: { title: 'DeepCoder: contest problems with many tests', source: 'hub:agentica-org/DeepCoder-Preview-Dataset', format: 'deepcoder', config: 'primeintellect' },
  livecodebench: { title: 'LiveCodeBench: problems of 2025', source: 'hub:lighteval/code_generation_lite', format: 'livecodebench', config: 'v6' },
  codeforces: { title: 'CodeForces: problems that tests alone can judge', source: 'hub:open-r1/codeforces', format: 'codeforces', config: 'verifiable' },
} as const satisfies Record<string, CodeSet>;

export type CodeSetName = keyof typeof CODE_SETS;
export const CODE_SET_NAMES = Object.keys(CODE_SETS) as CodeSetName[];

/** The set of that name; null where there is none. */
export function codeSet(name: string): CodeSet | null {
  return CODE_SET_NAMES.some((one) => one === name) ? CODE_SETS[name as CodeSetName] : null;
}
