/**
 * LaTeX formulas as expressions, by recursive descent in one pass. The readers of LaTeX that were tried backtrack: sixty
 * malformed characters kept one busy for minutes, and what is read here comes out of a language model.
 */
import { call, number, type Expression, type Operation } from './expression.ts';

/** Deepest nesting; an answer has three or four levels. */
const MAX_DEPTH = 40;

const TOKEN = /\s*(\d+\.?\d*|\.\d+|\\[a-zA-Z]+|\\[{}|]|[^\s])/gy;

const FUNCTIONS = new Set<Operation>(['exp', 'ln', 'log', 'sin', 'cos', 'tan', 'cot', 'sec', 'csc', 'arcsin', 'arccos', 'arctan']);
const INVERSES: Partial<Record<Operation, Operation>> = { sin: 'arcsin', cos: 'arccos', tan: 'arctan' };
const GREEK = /^\\(?:alpha|beta|gamma|delta|epsilon|varepsilon|zeta|eta|theta|iota|kappa|lambda|mu|nu|xi|pi|rho|sigma|tau|upsilon|phi|varphi|chi|psi|omega|Gamma|Delta|Theta|Lambda|Xi|Pi|Sigma|Phi|Psi|Omega|infty|ell)$/;
const CLOSING: Record<string, string> = { '(': ')', '[': ']', '{': '}', '\\lfloor': '\\rfloor', '\\lceil': '\\rceil', '|': '|' };
const TIMES = new Set(['*', '\\cdot', '\\times']);
const OVER = new Set(['/', '\\div']);

/** What is wrong with a formula; never leaves this file. */
class NotAFormula extends Error {}

/** The expression that a normalised formula spells, or null when it is none. Time is linear in its length. */
export function parseLatex(latex: string): Expression | null {
  try {
    return new Parser(latex).whole();
  } catch (error) {
    if (error instanceof NotAFormula) return null;
    throw error;
  }
}

class Parser {
  readonly #tokens: string[];
  #next = 0;
  #depth = 0;
  /** Whether a bar closes: set inside |…|, where a bar cannot open another one. */
  #barCloses = false;

  constructor(latex: string) {
    this.#tokens = [...latex.matchAll(TOKEN)].map(([, token]) => token ?? '');
  }

  whole(): Expression {
    const expression = this.#sum();
    if (this.#peek() !== undefined) throw new NotAFormula();
    return expression;
  }

  #peek(): string | undefined {
    return this.#tokens[this.#next];
  }

  #take(): string {
    const token = this.#tokens[this.#next++];
    if (token === undefined) throw new NotAFormula();
    return token;
  }

  #accept(token: string): boolean {
    const found = this.#peek() === token;
    if (found) this.#next++;
    return found;
  }

  #expect(token: string): void {
    if (!this.#accept(token)) throw new NotAFormula();
  }

  /** Inside brackets: one level deeper. */
  #nested<T>(read: () => T): T {
    if (++this.#depth > MAX_DEPTH) throw new NotAFormula();
    const result = read();
    this.#depth--;
    return result;
  }

  #sum(): Expression {
    const terms = [this.#signed()];
    while (this.#peek() === '+' || this.#peek() === '-') terms.push(this.#signed());
    const [only] = terms;
    return terms.length === 1 && only ? only : call('add', ...terms);
  }

  #signed(): Expression {
    const negative = this.#sign();
    const term = this.#product();
    return negative ? call('negate', term) : term;
  }

  /** Any number of signs as one; true when it is a minus. */
  #sign(): boolean {
    let negative = false;
    for (let token = this.#peek(); token === '+' || token === '-'; token = this.#peek()) {
      if (token === '-') negative = !negative;
      this.#next++;
    }
    return negative;
  }

  /** Factors side by side, times and over, from left to right: 3/4x is three quarters of x. */
  #product(): Expression {
    let result = this.#factor();
    for (;;) {
      const token = this.#peek();
      if (token !== undefined && TIMES.has(token)) {
        this.#next++;
        result = call('multiply', result, this.#signedFactor());
      } else if (token !== undefined && OVER.has(token)) {
        this.#next++;
        result = call('divide', result, this.#signedFactor());
      } else if (this.#startsFactor(token)) {
        // "5 5" is neither fifty-five nor a product.
        if (token !== undefined && isNumber(token) && result.kind === 'number') throw new NotAFormula();
        const factor = this.#factor();
        result = call(isMixedNumber(result, factor) ? 'add' : 'multiply', result, factor);
      } else {
        return result;
      }
    }
  }

  #signedFactor(): Expression {
    const negative = this.#sign();
    const factor = this.#factor();
    return negative ? call('negate', factor) : factor;
  }

  #startsFactor(token: string | undefined): boolean {
    if (token === undefined) return false;
    if (token === '|') return !this.#barCloses;
    return isNumber(token) || isLetter(token) || token === '\\frac' || token === '\\sqrt' || token in CLOSING || FUNCTIONS.has(functionName(token));
  }

  /** A primary with what is written behind it: factorials, then a power. */
  #factor(): Expression {
    let base = this.#primary();
    while (this.#accept('!')) base = call('factorial', base);
    return this.#accept('^') ? call('power', base, this.#argument()) : base;
  }

  #primary(): Expression {
    const token = this.#take();
    if (isNumber(token)) return this.#indexed(token, number(token));
    if (isLetter(token)) return this.#indexed(token, { kind: 'symbol', name: token.replace('\\', '') });
    if (token === '\\frac') return call('divide', this.#argument(), this.#argument());
    if (token === '\\sqrt') return this.#root();
    const name = functionName(token);
    if (FUNCTIONS.has(name)) return this.#function(name);
    const closing = CLOSING[token];
    if (closing === undefined) throw new NotAFormula();
    return this.#bracketed(token, closing);
  }

  #bracketed(opening: string, closing: string): Expression {
    const outer = this.#barCloses;
    this.#barCloses = opening === '|';
    const inner = this.#nested(() => this.#sum());
    this.#barCloses = outer;
    this.#expect(closing);
    if (opening === '|') return call('abs', inner);
    if (opening === '\\lfloor') return call('floor', inner);
    return opening === '\\lceil' ? call('ceil', inner) : inner;
  }

  /** x_1 and 1011_2 are names of their own: an index is no arithmetic. */
  #indexed(token: string, plain: Expression): Expression {
    if (!this.#accept('_')) return plain;
    return { kind: 'symbol', name: `${token}_${JSON.stringify(this.#argument())}` };
  }

  #root(): Expression {
    if (!this.#accept('[')) return call('root', this.#argument(), number('2'));
    const degree = this.#nested(() => this.#sum());
    this.#expect(']');
    return call('root', this.#argument(), degree);
  }

  /** \sin x, \sin^2 x, \sin^{-1} x, \log_2 8, \sin(2x), \sin 2x. */
  #function(name: Operation): Expression {
    const base = this.#accept('_') ? this.#argument() : null;
    const power = this.#accept('^') ? this.#argument() : null;
    const inverse = INVERSES[name];
    if (power !== null && inverse !== undefined && isMinusOne(power)) return call(inverse, this.#functionArgument());
    const argument = this.#functionArgument();
    const applied = name === 'log' ? call('log', argument, base ?? number('10')) : call(name, argument);
    return power === null ? applied : call('power', applied, power);
  }

  /** A bracket, or plain factors side by side. */
  #functionArgument(): Expression {
    const token = this.#peek();
    if (token !== undefined && token in CLOSING && token !== '|') return this.#nested(() => this.#factor());
    let result = this.#nested(() => this.#factor());
    for (let next = this.#peek(); next !== undefined && (isLetter(next) || next === '\\frac'); next = this.#peek()) {
      result = call('multiply', result, this.#factor());
    }
    return result;
  }

  /** What a command takes: {…}, or a single digit, letter or command. */
  #argument(): Expression {
    return this.#nested(() => {
      if (!this.#accept('{')) return this.#accept('-') ? call('negate', this.#primary()) : this.#primary();
      const outer = this.#barCloses;
      this.#barCloses = false;
      const inner = this.#sum();
      this.#barCloses = outer;
      this.#expect('}');
      return inner;
    });
  }
}

function isNumber(token: string): boolean {
  return /^[\d.]/.test(token) && token !== '.';
}

function isLetter(token: string): boolean {
  return /^[a-zA-Z]$/.test(token) || GREEK.test(token);
}

function functionName(token: string): Operation {
  return token.slice(1) as Operation;
}

/** A whole number directly before a fraction of two whole numbers: 1½. Anything else side by side is a product. */
function isMixedNumber(whole: Expression, part: Expression): boolean {
  const isWhole = (expression: Expression): boolean => expression.kind === 'number' && /^\d+$/.test(expression.decimal);
  return isWhole(whole) && part.kind === 'call' && part.name === 'divide' && part.args.every(isWhole);
}

function isMinusOne(expression: Expression): boolean {
  return expression.kind === 'call' && expression.name === 'negate' && expression.args[0]?.kind === 'number' && expression.args[0].decimal === '1';
}
