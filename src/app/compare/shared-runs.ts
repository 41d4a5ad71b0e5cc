/** Runs that others have shared, as links or files, to be laid side by side: those of a class, for example. */
import type { ComparedRun, Evaluated, Group } from '../../experiment/compare-runs.ts';
import type { SharedResults } from '../../experiment/link/parts.ts';
import type { OpenedShare } from '../../experiment/link/payload.ts';
import { FILE_ENDING, MAX_FILE, readShareFile } from '../../experiment/link/share-file.ts';
import { decodeLink } from '../../experiment/link/link.ts';
import { classCode } from '../../experiment/link/teaching.ts';
import { PlaygroundError } from '../../runtime/errors.ts';

/** Of one comparison; a class, and more curves than can be told apart. */
export const MAX_SHARED = 40;
/** Characters of a name. */
const LONGEST = 60;

/** Something that was given to be compared, not read yet. */
export interface Offered {
  name: string;
  /** Throws a PlaygroundError for what cannot be opened. */
  open: () => OpenedShare | Promise<OpenedShare>;
}

/** A link a line. Whatever stands before it in the line is its name; without one it is called by its class code. */
export function offeredLinks(text: string): Offered[] {
  const lines = text.split('\n').map((line) => line.trim()).filter((line) => line !== '');
  return lines.map((line) => {
    const [, before = '', link = ''] = /^(.*?)(\S+)$/.exec(line) ?? [];
    const name = before.trim().replace(/[:,;–-]+$/, '').trim();
    return { name: shortened(name) || classCode(link), open: () => decodeLink(link) };
  });
}

/** Each is called as its file. */
export function offeredFiles(files: readonly File[]): Offered[] {
  return files.map((file) => ({
    name: shortened(file.name.replace(new RegExp(`(${FILE_ENDING.replaceAll('.', '\\.')}|\\.json)$`), '')) || 'file',
    // One byte more than allowed is enough for it to be refused.
    open: async () => readShareFile(new Uint8Array(await file.slice(0, MAX_FILE + 1).arrayBuffer())),
  }));
}

/** The run that was shared. Throws a PlaygroundError where only settings were. */
export function sharedRun(name: string, { experiment, parts: { results } }: OpenedShare): ComparedRun {
  if (results === undefined) throw new PlaygroundError('link-without-results', 'There are no results in it, only settings.', 'Train it first, then share it with “Results of the run on the page”.');
  return { id: `shared ${name}`, name, experiment, rewards: rewardsOf(results), evaluated: evaluatedOf(results, experiment.schedule.iterations), failure: null };
}

/** The name, with a number behind it where a group has it already. */
export function distinctLabel(name: string, groups: readonly Group[]): string {
  const taken = new Set(groups.map(({ label }) => label));
  let label = name;
  for (let k = 2; taken.has(label); k += 1) label = `${name} (${k})`;
  return label;
}

/** A reward an iteration. Of a long run only points are shared; between them the curve is straight, before the first it is level. */
function rewardsOf({ n, x, y }: SharedResults): number[] {
  const rewards: number[] = [];
  let k = 0;
  for (let iteration = 1; iteration <= Math.min(n, MAX_ITERATIONS); iteration += 1) {
    while (k < x.length - 1 && (x[k] ?? 0) < iteration) k += 1;
    const [left, right] = [Math.max(0, k - 1), k];
    const [from, to] = [x[left] ?? 0, x[right] ?? 0];
    const share = to === from ? 1 : Math.min(1, Math.max(0, (iteration - from) / (to - from)));
    const [before, after] = [y[left] ?? 0, y[right] ?? 0];
    rewards.push(share === 1 ? after : before + share * (after - before));
  }
  return rewards;
}

/** The largest that a curve is drawn from: a link may claim any number. */
const MAX_ITERATIONS = 100_000;

/** Before and after training; null where a run was not evaluated at both ends, or has not come to its own. */
function evaluatedOf({ n, h }: SharedResults, iterations: number): Evaluated | null {
  const [base, final] = [h.find(([iteration]) => iteration === 0), h.find(([iteration]) => iteration === n)];
  if (base === undefined || final === undefined || n < iterations) return null;
  return { sampled: final[1], greedy: final[2], baseSampled: base[1], baseGreedy: base[2] };
}

function shortened(name: string): string {
  return name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name;
}
