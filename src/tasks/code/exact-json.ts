/** JSON in which a whole number of any length stays what it is. */

/** Marks the text of a number that JavaScript's own could not hold. */
export interface LongInteger {
  digits: string;
}
export type Exact = null | boolean | number | string | LongInteger | Exact[] | { [key: string]: Exact };

/** A text in JSON, or a whole number that stands for itself. */
const PIECE = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const LONG = /^-?\d{16,}$/;
const MARK = '\u0000int:';

/** Throws a SyntaxError where the text is no JSON. */
export function parseExact(text: string): Exact {
  const marked = text.replace(PIECE, (piece) => (LONG.test(piece) ? JSON.stringify(MARK + piece) : piece));
  return JSON.parse(marked, (_, value: unknown) => (typeof value === 'string' && value.startsWith(MARK) ? { digits: value.slice(MARK.length) } : value)) as Exact;
}
