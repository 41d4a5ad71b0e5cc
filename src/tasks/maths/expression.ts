/** The value of a mathematical expression: an exact rational where rational arithmetic suffices, a complex number otherwise. */
import Complex from 'complex.js';
import Fraction from 'fraction.js';

/** A number as it was written, a symbol, or an operation on expressions. */
export type Expression =
  | { kind: 'number'; decimal: string }
  | { kind: 'symbol'; name: string }
  | { kind: 'call'; name: Operation; args: readonly Expression[] };

export type Operation =
  | 'add' | 'multiply' | 'divide' | 'power' | 'root' | 'negate' | 'abs' | 'floor' | 'ceil' | 'factorial'
  | 'exp' | 'ln' | 'log' | 'sin' | 'cos' | 'tan' | 'cot' | 'sec' | 'csc' | 'arcsin' | 'arccos' | 'arctan';

export const number = (decimal: string): Expression => ({ kind: 'number', decimal });
export const call = (name: Operation, ...args: Expression[]): Expression => ({ kind: 'call', name, args });

/** A value of each free symbol. */
export type Assignment = ReadonlyMap<string, number>;

/** Rationals with more digits than this are not worth their time: an answer of 100 digits is no answer. */
const MAX_EXACT_DIGITS = 400;
/** 170! is the largest factorial that a double holds. */
const MAX_FACTORIAL = 170;

const CONSTANTS: Record<string, Complex> = { pi: new Complex(Math.PI, 0), e: new Complex(Math.E, 0), i: Complex.I };

/** Names of the free symbols. */
export function symbolsOf(expression: Expression, found = new Set<string>()): Set<string> {
  if (expression.kind === 'symbol' && !Object.hasOwn(CONSTANTS, expression.name)) found.add(expression.name);
  if (expression.kind === 'call') for (const arg of expression.args) symbolsOf(arg, found);
  return found;
}

/** The exact value, or null when there are symbols or irrational steps. */
export function exactValue(expression: Expression): Fraction | null {
  if (expression.kind === 'symbol') return null;
  if (expression.kind === 'number') return fraction(expression.decimal);
  const values: Fraction[] = [];
  for (const arg of expression.args) {
    const value = exactValue(arg);
    if (value === null) return null;
    values.push(value);
  }
  return bounded(exactOperation(expression.name, values));
}

function exactOperation(name: Operation, values: readonly Fraction[]): Fraction | null {
  const [a, b] = values;
  if (a === undefined) return null;
  if (name === 'add') return sum(values);
  if (name === 'multiply') return product(values);
  if (name === 'negate') return a.neg();
  if (name === 'abs') return a.abs();
  if (name === 'floor') return a.floor();
  if (name === 'ceil') return a.ceil();
  if (name === 'factorial') return factorial(a);
  if (b === undefined) return null;
  if (name === 'divide') return b.equals(0) ? null : a.div(b);
  if (name === 'power') return power(a, b);
  if (name === 'root') return b.equals(0) ? null : power(a, b.inverse());
  return null;
}

/** The value with symbols as assigned; null where it is not defined. */
export function numericValue(expression: Expression, assignment: Assignment): Complex | null {
  if (expression.kind === 'number') return new Complex(Number(expression.decimal), 0);
  if (expression.kind === 'symbol') {
    const assigned = assignment.get(expression.name);
    return assigned === undefined ? (CONSTANTS[expression.name] ?? null) : new Complex(assigned, 0);
  }
  const values: Complex[] = [];
  for (const arg of expression.args) {
    const value = numericValue(arg, assignment);
    if (value === null) return null;
    values.push(value);
  }
  const value = numericOperation(expression.name, values);
  return value !== null && Number.isFinite(value.re) && Number.isFinite(value.im) ? value : null;
}

function numericOperation(name: Operation, values: readonly Complex[]): Complex | null {
  const [a, b] = values;
  if (a === undefined) return null;
  if (name === 'add') return sum(values);
  if (name === 'multiply') return product(values);
  if (b === undefined) return FUNCTIONS[name]?.(a) ?? null;
  if (name === 'divide') return b.abs() === 0 ? null : a.div(b);
  if (name === 'power') return a.abs() === 0 && b.abs() === 0 ? null : a.pow(b);
  if (name === 'root') return b.abs() === 0 ? null : root(a, b);
  if (name === 'log') return a.log().div(b.log());
  return null;
}

const FUNCTIONS: Partial<Record<Operation, (z: Complex) => Complex | null>> = {
  negate: (z) => z.neg(),
  abs: (z) => new Complex(z.abs(), 0),
  floor: (z) => z.floor(0),
  ceil: (z) => z.ceil(0),
  exp: (z) => z.exp(),
  ln: (z) => z.log(),
  sin: (z) => z.sin(),
  cos: (z) => z.cos(),
  tan: (z) => z.tan(),
  cot: (z) => z.cot(),
  sec: (z) => z.sec(),
  csc: (z) => z.csc(),
  arcsin: (z) => z.asin(),
  arccos: (z) => z.acos(),
  arctan: (z) => z.atan(),
  factorial: (z) => (z.im === 0 && Number.isInteger(z.re) && z.re >= 0 && z.re <= MAX_FACTORIAL ? new Complex(factorialOf(z.re), 0) : null),
};

/** The real root of a real number where there is one, as school has it: the cube root of −8 is −2. */
function root(a: Complex, n: Complex): Complex {
  const odd = n.im === 0 && Math.abs(n.re % 2) === 1;
  return odd && a.im === 0 && a.re < 0 ? new Complex(-((-a.re) ** (1 / n.re)), 0) : a.pow(n.inverse());
}

/** A decimal without exponent; one too long to be worth it is no rational. */
function fraction(decimal: string): Fraction | null {
  return decimal.length > MAX_EXACT_DIGITS ? null : new Fraction(decimal);
}

/** Null instead of a rational that would grow beyond bounds, or of a power that is irrational. */
function power(a: Fraction, b: Fraction): Fraction | null {
  if (a.equals(0) && b.compare(0) <= 0) return null;
  const digits = (a.n > a.d ? a.n : a.d).toString().length * Math.abs(b.valueOf());
  if (digits > MAX_EXACT_DIGITS) return null;
  const root = b.d === 1n ? a : rationalRoot(a, Number(b.d));
  return root?.pow(new Fraction(b.s * b.n)) ?? null;
}

/** The k-th root where it is rational. fraction.js would factorise, which can take forever. */
function rationalRoot(a: Fraction, k: number): Fraction | null {
  if (k > 64 || (a.s < 0n && k % 2 === 0)) return null;
  const n = integerRoot(a.n, k);
  const d = integerRoot(a.d, k);
  return n === null || d === null ? null : new Fraction(a.s * n, d);
}

/** The k-th root of n ≥ 0 when it is whole, by bisection. */
function integerRoot(n: bigint, k: number): bigint | null {
  const power = BigInt(k);
  let low = 0n;
  let high = 10n ** BigInt(Math.ceil(n.toString().length / k));
  while (low < high) {
    const middle = (low + high) / 2n;
    if (middle ** power < n) low = middle + 1n;
    else high = middle;
  }
  return low ** power === n ? low : null;
}

function bounded(value: Fraction | null): Fraction | null {
  const limit = 10n ** BigInt(MAX_EXACT_DIGITS);
  return value === null || value.n > limit || value.d > limit ? null : value;
}

function factorial(a: Fraction): Fraction | null {
  const n = a.valueOf();
  if (!Number.isInteger(n) || n < 0 || n > MAX_FACTORIAL) return null;
  let result = 1n;
  for (let k = 2n; k <= BigInt(n); k++) result *= k;
  return new Fraction(result);
}

function factorialOf(n: number): number {
  let result = 1;
  for (let k = 2; k <= n; k++) result *= k;
  return result;
}

interface Ring<T> {
  add(other: T): T;
  mul(other: T): T;
}

function sum<T extends Ring<T>>(values: readonly T[]): T {
  return values.reduce((a, b) => a.add(b));
}

function product<T extends Ring<T>>(values: readonly T[]): T {
  return values.reduce((a, b) => a.mul(b));
}
