/** The structure of an answer: a value with its unit, or values in brackets, side by side, in an equation. */
import { closingBrace, splitOutside } from './balance.ts';
import type { Expression } from './expression.ts';
import { parseLatex } from './latex.ts';
import { normalise } from './normalise.ts';
import { canonicalUnit } from './units.ts';

export type Answer =
  | { kind: 'value'; expression: Expression; unit: string | null; percent: boolean }
  /** In any order: "1, 2", "1 or 2" and {1, 2}. */
  | { kind: 'set'; items: Answer[] }
  /** In this order, with these brackets: a point, a vector or an interval. */
  | { kind: 'tuple'; brackets: string; items: Answer[] }
  | { kind: 'union'; items: Answer[] }
  | { kind: 'matrix'; rows: Answer[][] }
  | { kind: 'relation'; operator: '=' | '<' | '\\le' | '\\ne' | '\\in'; sides: Answer[] }
  /** Words, in lower case with single spaces. */
  | { kind: 'text'; words: string };

/** No answer of a benchmark is this long; what is longer is not read, which bounds the time that reading takes. */
export const MAX_ANSWER_LENGTH = 400;

/** Deepest nesting of brackets, sides and items. */
const MAX_DEPTH = 8;

/** Reads an answer; null when it is empty or longer than `MAX_ANSWER_LENGTH`. */
export function parseAnswer(text: string): Answer | null {
  if (text.length > MAX_ANSWER_LENGTH) return null;
  const normal = normalise(text);
  return normal === '' ? null : parse(normal, 0);
}

function parse(text: string, depth: number): Answer {
  if (depth > MAX_DEPTH) return words(text);
  const inner = (part: string): Answer => parse(part, depth + 1);

  const unwrapped = /^\\text\s*\{([^{}]*)\}$/.exec(text)?.[1];
  if (unwrapped !== undefined) return parse(unwrapped.trim().replace(/^\(([A-J])\)$/, '$1'), depth + 1);

  const items = splitOutside(withoutThousands(text), /\s*,\s*(?:\\text\s*\{\s*(?:and|or)\s*\}|(?:and|or)\b)?\s*|\\text\s*\{\s*(?:and|or)\s*\}|\s(?:and|or)\s|;/);
  if (items.length > 1 && items.every((item) => item !== '')) return { kind: 'set', items: items.map(inner) };
  const whole = items.length === 1 ? (items[0] ?? text) : text;

  return relation(whole, inner) ?? union(whole, inner) ?? plusMinus(whole, inner) ?? bracketed(whole, inner) ?? matrix(whole, inner) ?? value(whole) ?? words(text);
}

/** `1,234` and `12,345,678` as one number; inside brackets a comma separates. */
function withoutThousands(text: string): string {
  return text.replace(/(?<![\d.,\w])\d{1,3}(?:,\d{3})+(?![\d,])/g, (number, index: number) =>
    isInsideBrackets(text, index) || /^0/.test(number) ? number : number.replaceAll(',', ''),
  ).replace(/(?<![\d.])\d{1,3}(?: \d{3})+(?!\d)/g, (number) => number.replaceAll(' ', ''));
}

function isInsideBrackets(text: string, index: number): boolean {
  let depth = 0;
  for (const character of text.slice(0, index)) {
    if ('([{'.includes(character)) depth++;
    else if (')]}'.includes(character)) depth--;
  }
  return depth > 0;
}

type Parse = (part: string) => Answer;

const OPERATORS: Record<string, { operator: '=' | '<' | '\\le' | '\\ne' | '\\in'; reversed: boolean }> = {
  '=': { operator: '=', reversed: false },
  '<': { operator: '<', reversed: false },
  '>': { operator: '<', reversed: true },
  '<=': { operator: '\\le', reversed: false },
  '>=': { operator: '\\le', reversed: true },
  '\\le': { operator: '\\le', reversed: false },
  '\\ge': { operator: '\\le', reversed: true },
  '\\ne': { operator: '\\ne', reversed: false },
  '\\in': { operator: '\\in', reversed: false },
};
const RELATION = /<=|>=|[=<>]|\\(?:le|ge|ne|in)(?![a-zA-Z])/;

function relation(text: string, parsePart: Parse): Answer | null {
  const sides = splitOutside(text, RELATION);
  if (sides.length < 2 || sides.some((side) => side === '')) return null;
  const signs = [...text.matchAll(new RegExp(RELATION.source, 'g'))].map(([sign]) => OPERATORS[sign]);
  const [first] = signs;
  if (!first || signs.length !== sides.length - 1 || signs.some((sign) => sign?.operator !== first.operator || sign.reversed !== first.reversed)) return null;
  const parsed = sides.map(parsePart);
  return { kind: 'relation', operator: first.operator, sides: first.reversed ? parsed.reverse() : parsed };
}

function union(text: string, parsePart: Parse): Answer | null {
  const items = splitOutside(text, /\\cup(?![a-zA-Z])|\bU\b/);
  return items.length > 1 && items.every((item) => item !== '') ? { kind: 'union', items: items.map(parsePart) } : null;
}

function plusMinus(text: string, parsePart: Parse): Answer | null {
  const parts = splitOutside(text, /\\pm(?![a-zA-Z])/);
  const [before = '', after = ''] = parts;
  if (parts.length !== 2 || after === '') return null;
  return { kind: 'set', items: [parsePart(`${before}+${after}`), parsePart(`${before}-${after}`)] };
}

function bracketed(text: string, parsePart: Parse): Answer | null {
  if (text === '\\emptyset' || /^\\\{\s*\\\}$/.test(text)) return { kind: 'set', items: [] };
  const set = /^\\\{(.*)\\\}$/s.exec(text)?.[1];
  const tuple = /^([([])(.*)([)\]])$/s.exec(text);
  const content = set ?? tuple?.[2];
  if (content === undefined || !isOneBracket(text)) return null;
  const items = splitOutside(content, /,/);
  if (items.some((item) => item === '')) return null;
  if (set !== undefined) return { kind: 'set', items: items.map(parsePart) };
  if (items.length < 2) return null;
  return { kind: 'tuple', brackets: `${tuple?.[1]}${tuple?.[3]}`, items: items.map(parsePart) };
}

/** Whether the first bracket is closed by the last one: not so in (1,2)+(3,4). */
function isOneBracket(text: string): boolean {
  const plain = text.replace(/\\([{}])/g, '$1');
  let depth = 0;
  for (const [i, character] of [...plain].entries()) {
    if ('([{'.includes(character)) depth++;
    else if (')]}'.includes(character)) depth--;
    if (depth === 0) return i === plain.length - 1;
  }
  return false;
}

function matrix(text: string, parsePart: Parse): Answer | null {
  const content = /^\\begin\{([pbvB]?matrix|array)\}(?:\{[^{}]*\})?(.*)\\end\{\1\}$/s.exec(text)?.[2];
  if (content === undefined) return null;
  const rows = splitOutside(content, /\\\\/).filter((row, i, all) => row !== '' || i < all.length - 1);
  return { kind: 'matrix', rows: rows.map((row) => splitOutside(row, /&/).map(parsePart)) };
}

/** Nothing but letters, some three of them in a row: words, not a product of variables. */
const IS_WORDS = /^(?=.*[a-zA-Z]{3})[a-zA-Z\s]+$/;

/** A number or formula, with a unit of words after it or a currency that is gone already. */
function value(text: string): Answer | null {
  const percent = /\\?%$|\\text\s*\{\s*percent\s*\}$|\bpercent$/.test(text);
  const bare = text.replace(/\s*(?:\\?%|\\text\s*\{\s*percent\s*\}|\bpercent)$/, '').replace(/\s*\\degree\s*$/, '');
  const { formula, unit } = splitUnit(bare);
  if (IS_WORDS.test(formula)) return null;
  const inRadians = formula.replace(/\\degree(?![a-zA-Z])/g, '\\frac{\\pi}{180}');
  const expression = parseLatex(repeatingDecimals(mixedNumbers(inRadians)));
  return expression === null ? null : { kind: 'value', expression, unit, percent };
}

/** "5 \text{ cm}^2", "12 square units", "7 dollars": what stands before the words, and the words. */
function splitUnit(text: string): { formula: string; unit: string | null } {
  const latex = text.indexOf('\\text');
  if (latex > 0) {
    const end = closingBrace(text, text.indexOf('{', latex));
    const rest = text.slice(latex);
    if (end > 0 && /^\\text\s*\{[^{}]*\}\s*(?:\^\s*\{?\s*\d\s*\}?|\/\s*\\text\s*\{[^{}]*\})?\s*$/.test(rest)) {
      return { formula: text.slice(0, latex).trim(), unit: canonicalUnit(rest.replace(/\\text\s*|[{}]/g, '')) };
    }
  }
  const plain = /^(.*[\d})])\s*((?:[a-zA-Z]{2,}[.]?)(?:\s+[a-zA-Z]{2,}|\/[a-zA-Z]+)*(?:\s*\^\s*\{?\d\}?)?)$/.exec(text);
  const [, formula, unit] = plain ?? [];
  if (formula !== undefined && unit !== undefined && !formula.includes('\\text') && canonicalUnit(unit) !== null && /\s/.test(text)) {
    return { formula: formula.trim(), unit: canonicalUnit(unit) };
  }
  return { formula: text, unit: null };
}

/** "2 3/4" as a mixed number in LaTeX. */
function mixedNumbers(text: string): string {
  return text.replace(/(?<![\d.])(\d+)\s+(\d+)\s*\/\s*(\d+)(?![\d.])/g, '$1\\frac{$2}{$3}');
}

/** 0.1\overline{6} as the fraction that it is: (16 − 1) / 90. */
function repeatingDecimals(text: string): string {
  return text.replace(/(\d*)\.(\d*)\\overline\s*\{(\d{1,12})\}/g, (_, whole: string, fixed: string, repeated: string) => {
    const head = BigInt(`${whole}${fixed}` || '0');
    const all = BigInt(`${whole}${fixed}${repeated}`);
    return `\\frac{${all - head}}{${'9'.repeat(repeated.length)}${'0'.repeat(fixed.length)}}`;
  });
}

function words(text: string): Answer {
  const plain = text.replace(/\\text\s*\{([^{}]*)\}/g, ' $1 ').replace(/\\(?=[a-zA-Z])/g, '');
  return { kind: 'text', words: plain.toLowerCase().replace(/[^\p{L}\p{N}+\-*/^_=<>.]+/gu, ' ').trim() };
}
