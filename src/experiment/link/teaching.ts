/** What a teacher's link asks for and forbids: locked fields, a target, and a short code by which a class knows that it has the same link. */
import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import type { MetricRow } from '../../marft/records.ts';
import { differenceBetween } from '../difference.ts';
import type { Experiment } from '../schema.ts';
import type { Teaching } from './parts.ts';

/** The first field that a change touches although it may not; null where it may. `start` is the experiment of the link. */
export function lockedChange(start: Experiment, wanted: Experiment, { l: locked, o: open }: Teaching): string | null {
  const { set, dropped } = differenceBetween(start, wanted);
  const paths = [...Object.keys(set), ...dropped];
  return paths.find((path) => locked.some((one) => touches(one, path)) || (open.length > 0 && !open.some((one) => within(one, path)))) ?? null;
}

/** How far the target is reached: the best figure so far, and whether that is enough. Null where there is no target. */
export function targetReached({ g: target }: Teaching, rows: readonly MetricRow[]): { best: number | null; reached: boolean } | null {
  if (target === undefined) return null;
  const name = target.m === 'training' ? 'reward/mean' : 'eval/reward';
  // What the team could before it was trained is nobody's merit.
  const figures = rows.filter(({ iteration }) => iteration > 0).flatMap((row) => row[name] ?? []);
  const best = figures.length === 0 ? null : Math.max(...figures);
  return { best, reached: best !== null && best >= target.v };
}

/** Without letters and digits that are taken for one another. */
const LETTERS = 'ABCDEFGHJKMNPQRSTVWXYZ23456789AB';
const CODE_LENGTH = 6;

/** Six letters and digits that are the same for the same link. */
export function classCode(link: string): string {
  return [...sha256(utf8ToBytes(link.slice(link.indexOf('#') + 1))).slice(0, CODE_LENGTH)].map((byte) => LETTERS.charAt(byte % LETTERS.length)).join('');
}

function within(whole: string, path: string): boolean {
  return path === whole || path.startsWith(`${whole}.`);
}

/** A path below a locked one, or a whole that contains it. */
function touches(locked: string, path: string): boolean {
  return within(locked, path) || within(path, locked);
}
