/** Reading what somebody wrote as arithmetic over whole numbers: `8+3-5`, `2*(3+4)`. No eval; nothing but these signs. */

export interface Arithmetic {
  value: number;
  /** The numbers that occur, in order. */
  numbers: number[];
}

/** Longer texts are refused unread, and so are deeper brackets. */
const MAX_LENGTH = 120;
const MAX_DEPTH = 20;
/** Numbers of more digits are refused: sums of what is left are exact. */
const MAX_DIGITS = 6;

/** What the text amounts to; null for anything that is not one expression of whole numbers, `+`, `-`, `*` and brackets. Never throws. */
export function parseArithmetic(text: string): Arithmetic | null {
  if (text.length > MAX_LENGTH) return null;
  const tokens = text.match(/\d+|[-+*()]|\S/g) ?? [];
  const numbers: number[] = [];
  let next = 0;
  let depth = 0;

  function factor(): number | null {
    const token = tokens[next];
    if (token === undefined) return null;
    next += 1;
    if (/^\d+$/.test(token)) {
      if (token.length > MAX_DIGITS) return null;
      numbers.push(Number(token));
      return Number(token);
    }
    if (token !== '(' || ++depth > MAX_DEPTH) return null;
    const inner = sum();
    if (inner === null || tokens[next] !== ')') return null;
    next += 1;
    depth -= 1;
    return inner;
  }

  function product(): number | null {
    let value = factor();
    while (value !== null && tokens[next] === '*') {
      next += 1;
      const other = factor();
      value = other === null ? null : value * other;
    }
    return value;
  }

  function sum(): number | null {
    let value = product();
    while (value !== null && (tokens[next] === '+' || tokens[next] === '-')) {
      const sign = tokens[next] === '+' ? 1 : -1;
      next += 1;
      const other = product();
      value = other === null ? null : value + sign * other;
    }
    return value;
  }

  const value = sum();
  return value === null || next < tokens.length ? null : { value, numbers };
}
