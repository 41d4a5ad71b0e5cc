/** Whether two answers say the same: exactly for rationals, at sampled points for everything else. */
import type Complex from 'complex.js';
import type { Answer } from './answer.ts';
import { call, exactValue, number, numericValue, symbolsOf, type Expression } from './expression.ts';

/** Two values agree when they differ by less than this share of the larger: well above rounding, well below "rounded to ten digits". */
const RELATIVE_TOLERANCE = 1e-10;

/** Where formulas with symbols are compared: signs mixed, nothing special about any of them, the same ones always. */
const SAMPLES = [0.7310585, -1.3169578, 2.2360680, -0.4812118, 3.1699250, 1.6180340] as const;

/** Points at which both formulas must be defined for them to count as equal. */
const MIN_DEFINED = 2;

export function areEquivalent(expected: Answer, given: Answer): boolean {
  if (expected.kind === 'value' && given.kind === 'value') return sameValue(expected, given);
  if (expected.kind === 'text' && given.kind === 'text') return expected.words === given.words && expected.words !== '';
  if (expected.kind === 'set' && given.kind === 'set') return sameInAnyOrder(expected.items, given.items);
  if (expected.kind === 'union' && given.kind === 'union') return sameInAnyOrder(expected.items, given.items);
  if (expected.kind === 'tuple' && given.kind === 'tuple') return expected.brackets === given.brackets && sameInOrder(expected.items, given.items);
  if (expected.kind === 'matrix' && given.kind === 'matrix') return sameMatrix(expected.rows, given.rows);
  if (expected.kind === 'matrix' && given.kind === 'tuple') return sameInOrder(columnOf(expected.rows), given.items);
  if (expected.kind === 'tuple' && given.kind === 'matrix') return sameInOrder(expected.items, columnOf(given.rows));
  if (expected.kind === 'relation' && given.kind === 'relation') return sameRelation(expected, given);
  const ofExpected = solution(expected);
  if (ofExpected) return areEquivalent(ofExpected, given);
  const ofGiven = solution(given);
  return ofGiven ? areEquivalent(expected, ofGiven) : false;
}

type Value = Extract<Answer, { kind: 'value' }>;
type Relation = Extract<Answer, { kind: 'relation' }>;

/** A unit may be missing on one side. A per cent sign is arithmetic: 50 % is 1/2, and never 50. */
function sameValue(expected: Value, given: Value): boolean {
  if (expected.unit !== null && given.unit !== null && expected.unit !== given.unit) return false;
  return sameExpression(scaled(expected), scaled(given));
}

function scaled({ expression, percent }: Value): Expression {
  return percent ? call('divide', expression, number('100')) : expression;
}

function sameExpression(a: Expression, b: Expression): boolean {
  const [exactA, exactB] = [exactValue(a), exactValue(b)];
  if (exactA && exactB) return exactA.equals(exactB);
  // Infinity, or a name that is no number: the same spelling is all there is to compare.
  if (JSON.stringify(a) === JSON.stringify(b)) return true;
  const pairs = compare(a, b);
  return pairs.length >= definedNeeded(a, b) && pairs.every(([x, y]) => close(x, y));
}

/** Values of both at those sampled points where both are defined. */
function compare(a: Expression, b: Expression): (readonly [Complex, Complex])[] {
  const symbols = [...new Set([...symbolsOf(a), ...symbolsOf(b)])].sort();
  const points = symbols.length === 0 ? 1 : SAMPLES.length;
  const pairs: (readonly [Complex, Complex])[] = [];
  for (let point = 0; point < points; point++) {
    const assignment = new Map(symbols.map((symbol, k) => [symbol, sample(point, k)]));
    const [x, y] = [numericValue(a, assignment), numericValue(b, assignment)];
    if (x && y) pairs.push([x, y]);
  }
  return pairs;
}

function definedNeeded(a: Expression, b: Expression): number {
  return symbolsOf(a).size + symbolsOf(b).size === 0 ? 1 : MIN_DEFINED;
}

/** Another point for every symbol: shifted by a whole turn of the samples, so that x and y never get equal values. */
function sample(point: number, symbol: number): number {
  return (SAMPLES[(point + symbol) % SAMPLES.length] ?? 1) * (1 + symbol / 7);
}

function close(x: Complex, y: Complex): boolean {
  return x.sub(y).abs() <= RELATIVE_TOLERANCE * Math.max(x.abs(), y.abs(), 1e-30);
}

function sameInOrder(a: readonly Answer[], b: readonly Answer[]): boolean {
  return a.length === b.length && a.every((item, i) => b[i] !== undefined && areEquivalent(item, b[i]));
}

/** Every item has a partner of its own. */
function sameInAnyOrder(a: readonly Answer[], b: readonly Answer[]): boolean {
  if (a.length !== b.length) return false;
  const free = [...b];
  return a.every((item) => {
    const partner = free.findIndex((other) => areEquivalent(item, other));
    if (partner >= 0) free.splice(partner, 1);
    return partner >= 0;
  });
}

function sameMatrix(a: readonly Answer[][], b: readonly Answer[][]): boolean {
  return a.length === b.length && a.every((row, i) => b[i] !== undefined && sameInOrder(row, b[i]));
}

/** A column vector's entries; no other matrix is a tuple. */
function columnOf(rows: readonly Answer[][]): Answer[] {
  return rows.every((row) => row.length === 1) ? rows.flat() : [];
}

function sameRelation(expected: Relation, given: Relation): boolean {
  if (expected.operator !== given.operator) return false;
  if (sameInOrder(expected.sides, given.sides)) return true;
  if (expected.operator !== '=') return false;
  if (sameInAnyOrder(expected.sides, given.sides)) return true;
  const [a, b] = [difference(expected), difference(given)];
  return a !== null && b !== null && areProportional(a, b);
}

/** An equation as "difference of its sides = 0". */
function difference({ sides }: Relation): Expression | null {
  const [left, right] = sides;
  return sides.length === 2 && left?.kind === 'value' && right?.kind === 'value' ? call('add', scaled(left), call('negate', scaled(right))) : null;
}

/** Two equations with the same solutions, one a constant multiple of the other: 2x − y = 1 and y = 2x − 1. */
function areProportional(a: Expression, b: Expression): boolean {
  if (symbolsOf(a).size === 0) return false;
  const ratios = compare(a, b).filter(([x, y]) => x.abs() > 0 && y.abs() > 0).map(([x, y]) => x.div(y));
  const [first] = ratios;
  return first !== undefined && ratios.length >= MIN_DEFINED && ratios.every((ratio) => close(ratio, first));
}

/** What "x = 5", "f(x) = 2x" or "x \in [0, 1)" says of the thing on the left: the answer on the right. */
function solution(answer: Answer): Answer | null {
  if (answer.kind === 'set' && answer.items.length > 0) {
    const items = answer.items.map(solution);
    return items.every((item) => item !== null) ? { kind: 'set', items } : null;
  }
  if (answer.kind !== 'relation' || answer.sides.length !== 2 || !['=', '\\in'].includes(answer.operator)) return null;
  const [left, right] = answer.sides;
  return left && right && isName(left) ? right : null;
}

/** A symbol, or a function of a symbol: f(x) is read as a product. */
function isName(answer: Answer): boolean {
  if (answer.kind === 'text') return /^[a-z_ ]+$/.test(answer.words);
  if (answer.kind !== 'value' || answer.percent) return false;
  const { expression } = answer;
  if (expression.kind === 'symbol') return true;
  return expression.kind === 'call' && expression.name === 'multiply' && expression.args.length === 2 && expression.args.every(({ kind }) => kind === 'symbol');
}
