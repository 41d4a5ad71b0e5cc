/** From rows to problems that are trained on and problems that are held out, so that no question is in both. */
import { hashKey } from '../../random/random.ts';
import { HELD_OUT_SHARE } from '../split.ts';
import type { Problem } from '../types.ts';

export interface SplitProblems {
  train: Problem[];
  heldOut: Problem[];
}

/** Keeps this split apart from every other use of hashes. */
const SPLIT_KEY = 0xda7a;

/** What makes two questions the same: neither case, nor spaces, nor the way a character is encoded. */
export function normalisedQuestion(question: string): string {
  return question.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();
}

/** Each question once, the first time it comes. */
export function distinct(problems: readonly Problem[]): Problem[] {
  const byId = new Map<string, Problem>();
  for (const problem of problems) if (!byId.has(problem.id)) byId.set(problem.id, problem);
  return [...byId.values()];
}

/** Held out is what the set itself holds out; of the rest, all that is not there too is trained on. */
export function splitByTest(rest: readonly Problem[], test: readonly Problem[]): SplitProblems {
  const heldOut = distinct(test);
  const ids = new Set(heldOut.map(({ id }) => id));
  return { train: distinct(rest).filter(({ id }) => !ids.has(id)), heldOut };
}

/** A fifth is held out, by a hash of the question: the same ones whatever else is in the file. Of two problems or more, neither part is empty. */
export function splitByHash(problems: readonly Problem[]): SplitProblems {
  const hashed = distinct(problems).map((problem) => ({ problem, hash: hashOf(problem.id) }));
  const [lowest, highest] = extremes(hashed.map(({ hash }) => hash));
  const isHeldOut = (hash: number): boolean => (hash < HELD_OUT_SHARE * 2 ** 32 || hash === lowest) && (hash !== highest || lowest === highest);
  const part = (held: boolean): Problem[] => hashed.filter(({ hash }) => isHeldOut(hash) === held).map(({ problem }) => problem);
  return { train: part(false), heldOut: part(true) };
}

/** The least and the greatest of them, in one pass: a call takes only so many arguments. */
function extremes(values: readonly number[]): [number, number] {
  let [least, greatest] = [Infinity, -Infinity];
  for (const value of values) {
    least = Math.min(least, value);
    greatest = Math.max(greatest, value);
  }
  return [least, greatest];
}

function hashOf(text: string): number {
  let hash = SPLIT_KEY;
  for (let k = 0; k < text.length; k++) hash = hashKey(hash, text.charCodeAt(k));
  return hash;
}
