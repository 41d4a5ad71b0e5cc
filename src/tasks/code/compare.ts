/** Whether what a program gave is what was expected. */
import { parseExact, type Exact } from './exact-json.ts';

/** Relative to the larger one, or absolute below one. */
const PRINTED_TOLERANCE = 1e-6;
const RETURNED_TOLERANCE = 1e-9;
const DECIMAL = /^-?\d*\.?\d+(?:[eE][+-]?\d+)?$/;

/** Line by line without the spaces at their ends; a number with a fraction may differ in the seventh digit. */
export function sameOutput(expected: string, printed: string): boolean {
  const [wanted, got] = [linesOf(expected), linesOf(printed)];
  return wanted.length === got.length && wanted.every((line, k) => sameLine(line, got[k] ?? ''));
}

function linesOf(text: string): string[] {
  return text.trim().split('\n').map((line) => line.trim());
}

function sameLine(wanted: string, got: string): boolean {
  if (wanted === got) return true;
  const [left, right] = [wanted.split(/\s+/), got.split(/\s+/)];
  return left.length === right.length && left.every((word, k) => sameWord(word, right[k] ?? ''));
}

function sameWord(wanted: string, got: string): boolean {
  if (wanted === got) return true;
  // Whole numbers have one way to be written and are long at times.
  if (!/[.eE]/.test(wanted) || !DECIMAL.test(wanted) || !DECIMAL.test(got)) return false;
  return isClose(Number(wanted), Number(got), PRINTED_TOLERANCE);
}

/** Both as JSON texts. False for what is no JSON. */
export function sameValue(expected: string, returned: string): boolean {
  try {
    return sameExact(parseExact(expected), parseExact(returned));
  } catch {
    return false;
  }
}

function sameExact(wanted: Exact, got: Exact): boolean {
  if (typeof wanted === 'number' && typeof got === 'number') {
    if (Number.isInteger(wanted) && Number.isInteger(got)) return wanted === got;
    return isClose(wanted, got, RETURNED_TOLERANCE);
  }
  if (typeof wanted !== 'object' || typeof got !== 'object' || wanted === null || got === null) return wanted === got;
  if (Array.isArray(wanted) || Array.isArray(got)) {
    return Array.isArray(wanted) && Array.isArray(got) && wanted.length === got.length && wanted.every((one, k) => sameExact(one, got[k] ?? null));
  }
  const [left, right] = [new Map(Object.entries(wanted)), new Map(Object.entries(got))];
  return left.size === right.size && [...left].every(([key, one]) => right.has(key) && sameExact(one, right.get(key) ?? null));
}

function isClose(wanted: number, got: number, tolerance: number): boolean {
  return Math.abs(wanted - got) <= tolerance * Math.max(1, Math.abs(wanted));
}
